// Parses addresses of packs in a registry: `oci://host[:port]/repository[:tag][@sha256:…]`. The grammar is
// anchored and our own, because the platform's URL parser would accept user names and passwords here.
import { CtxError } from "../base/errors.js";

export interface Address {
  /** Includes the port, if there is one. */
  host: string;
  repository: string;
  tag?: string;
  /** A hash in hex. */
  digest?: string;
}

const word = "[a-z0-9]+(?:(?:[.]|__?|-+)[a-z0-9]+)*";
const grammar = new RegExp(
  String.raw`^oci://((?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)/(${word}(?:/${word})*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@sha256:([0-9a-f]{64}))?$`,
);

/**
 * Longer texts are rejected unread: searching them for a password, which must not be echoed, would take too
 * long.
 */
const longest = 1000;

/** Parses an address, and throws if the text is not one. */
export function parseAddress(text: string): Address {
  if (text.length > longest)
    throw new CtxError("bad-name", `a text of more than ${longest} characters is not an address of packs`, {
      hint: usual,
    });
  const [, host, repository, tag, digest] = grammar.exec(text) ?? [];
  if (host === undefined || repository === undefined || repository.length > 255) throw noAddress(text);
  checkHost(host.toLowerCase(), text);
  return {
    host: host.toLowerCase(),
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

const usual =
  "an address looks like oci://registry.example.com/team/runs, and may end in :tag or @sha256:<hash>";

/** Returns the error for a bad address. The text before an @ may be a password, and is not echoed. */
function noAddress(text: string, hint?: string): CtxError {
  const shown = text.replace(/^([a-z+]*:?\/*)[^/]*@(?!sha256:)/i, "$1...@").slice(0, 200);
  return new CtxError("bad-name", `"${shown}" is not an address of packs`, { hint: hint ?? usual });
}

/**
 * Throws unless the host is valid and in the form that the system will use: 127.1 and 0x7f.0.0.1 would be
 * this machine in disguise.
 */
function checkHost(host: string, text: string): void {
  const name = host.replace(/:\d+$/, "");
  const url = `http://${host}/`;
  const known = URL.canParse(url) ? new URL(url).hostname : undefined;
  if (known === undefined || known === "") throw noAddress(text);
  if (known !== name) throw noAddress(text, `${name} is written ${known}`);
}

/** Returns the address of the repository alone, as a person types it. */
export function repositoryText({ host, repository }: Address): string {
  return `oci://${host}/${repository}`;
}

export function addressText(address: Address): string {
  const { tag, digest } = address;
  return `${repositoryText(address)}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@sha256:${digest}`}`;
}

/** Returns whether a host, with or without a port, is this machine by its name alone. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, "").replaceAll(/[[\]]/g, "").toLowerCase();
  return (
    name === "localhost" || name === "::1" || /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|\d{1,2})){3}$/.test(name)
  );
}
