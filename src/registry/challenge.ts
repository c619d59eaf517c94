// Reads what a registry demands with a 401: a name and password, or a token that another server issues for
// them. This file decides where that server may be, because it receives the password.
import type { IncomingMessage } from "node:http";
import { CtxError } from "../base/errors.js";
import { isLoopback } from "./address.js";
import type { Credential } from "./credentials.js";
import { type Client, readBody } from "./http.js";
import { retryAfter } from "./retry.js";

export type Challenge =
  | { kind: "basic" }
  | { kind: "bearer"; realm: string; service?: string; scope?: string };

/** Matches a field of a challenge, or the scheme that a challenge begins with. */
const parts = /([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,"]+))|([\w-]+)/g;

/** Parses WWW-Authenticate, which may hold several challenges; a token is preferred to a password. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const challenges = new Map<string, Map<string, string>>();
  let fields = new Map<string, string>();
  for (const [, key, quoted, plain, scheme] of (header ?? "").matchAll(parts))
    if (scheme !== undefined) {
      fields = new Map();
      if (!challenges.has(scheme.toLowerCase())) challenges.set(scheme.toLowerCase(), fields);
    } else if (key !== undefined && !fields.has(key.toLowerCase()))
      fields.set(key.toLowerCase(), quoted ?? plain ?? "");
  const bearer = challenges.get("bearer");
  const realm = bearer?.get("realm");
  if (realm === undefined) return challenges.has("basic") ? { kind: "basic" } : undefined;
  const [service, scope] = [bearer?.get("service"), bearer?.get("scope")];
  return {
    kind: "bearer",
    realm,
    ...(service === undefined ? {} : { service }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/**
 * The scopes that tokens must cover. Challenges may list the same scopes in another order, and later add
 * actions to one of them.
 */
export class Scopes {
  readonly #actions = new Map<string, Set<string>>();

  /** Adds the scopes of a challenge, such as `repository:team/runs:pull,push`; spaces separate several. */
  add(text: string): void {
    for (const scope of text.split(" ").filter((word) => word !== "")) {
      const [, what = scope, actions = ""] = /^(.*):([^:]*)$/.exec(scope) ?? [];
      const known = this.#actions.get(what) ?? new Set();
      for (const action of actions.split(",")) known.add(action);
      this.#actions.set(what, known);
    }
  }

  all(): string[] {
    return [...this.#actions]
      .map(([what, actions]) => [what, [...actions].sort().join(",")].filter((part) => part !== "").join(":"))
      .sort();
  }
}

export function basic({ user, password }: { user: string; password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/**
 * Throws unless it is safe to request a token from this realm.
 * The realm must use HTTPS and be named by a registry that was itself reached over HTTPS: otherwise a machine
 * in between could name any server. On this machine plain HTTP is enough for both. A registry that is reached
 * over plain HTTP because the user allowed it may name only itself.
 */
export function checkRealm(realm: string, registry: URL): URL {
  let url: URL;
  try {
    url = new URL(realm);
  } catch {
    throw badRealm(registry, realm);
  }
  const isHome = isLoopback(registry.host);
  const isNamedSafely = registry.protocol === "https:" || isHome;
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isHome && isLoopback(url.host));
  const isItself = url.origin === registry.origin;
  if (url.username !== "" || url.password !== "" || !((isNamedSafely && isSafe) || isItself))
    throw badRealm(registry, realm);
  return url;
}

function badRealm(registry: URL, realm: string): CtxError {
  return new CtxError(
    "registry",
    `${registry.host} asks ctx to log in at ${realm.slice(0, 200)}, which is not safe`,
    {
      hint: "no password was sent; use HTTPS for both the registry and its token server",
    },
  );
}

/** Requests a token. Redirects are not followed: they would take the password along. */
export async function fetchToken(
  client: Client,
  { realm, service, scopes }: { realm: URL; service: string | undefined; scopes: readonly string[] },
  {
    credential,
    logIn,
    signal,
  }: { credential: Credential | undefined; logIn: string; signal: AbortSignal | undefined },
): Promise<string> {
  const response =
    credential !== undefined && "identityToken" in credential
      ? await client.send({
          method: "POST",
          url: realm,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: formBody({
            grant_type: "refresh_token",
            refresh_token: credential.identityToken,
            client_id: "ctx",
            ...(service === undefined ? {} : { service }),
            scope: scopes.join(" "),
          }),
          signal,
        })
      : await client.send({
          method: "GET",
          url: withQuery(realm, service, scopes),
          headers: credential === undefined ? {} : { authorization: basic(credential) },
          signal,
        });
  const body = await readBody(response, 1 << 20);
  if (response.statusCode !== 200)
    throw new NoToken(realm, response, credential === undefined ? logIn : mistaken);
  const token = tokenIn(body);
  if (token === undefined) throw new CtxError("registry", `${realm.host} sent a token that ctx cannot read`);
  return token;
}

/** Thrown if the server issues no token. */
export class NoToken extends CtxError {
  readonly status: number;
  /** Delay before another try, in milliseconds, if the server named one. */
  readonly after: number | undefined;

  constructor(realm: URL, { statusCode: status = 0, headers }: IncomingMessage, hint: string) {
    super("registry", `${realm.host} sent no token: it answered ${status}`, { data: { status }, hint });
    this.status = status;
    this.after = retryAfter(headers["retry-after"]);
  }
}

export const mistaken = "the user name or password may be wrong or expired";

function withQuery(realm: URL, service: string | undefined, scopes: readonly string[]): URL {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  return url;
}

function formBody(fields: Record<string, string>): { size: number; pieces(): Buffer[] } {
  const bytes = Buffer.from(new URLSearchParams(fields).toString());
  return { size: bytes.length, pieces: () => [bytes] };
}

/** Returns the token of an answer, or undefined if it could not be sent in a header. */
function tokenIn(body: Buffer): string | undefined {
  try {
    const value = JSON.parse(body.toString("utf8")) as { token?: unknown; access_token?: unknown } | null;
    const token = value?.token ?? value?.access_token;
    return typeof token === "string" && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}
