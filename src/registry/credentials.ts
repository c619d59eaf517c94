// Finds the user's credentials for a registry: in three variables, or where other programs keep them, which
// is ~/.docker/config.json or a program that it names.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { CtxError, errnoOf } from "../base/errors.js";
import { findProgram } from "../base/find-program.js";

export type Credential = { user: string; password: string } | { identityToken: string };

export interface Wallet {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Returns the user's credential for a host; undefined if there is none, so that the request is anonymous. */
export async function findCredential(
  host: string,
  wallet: Wallet,
  signal?: AbortSignal,
): Promise<Credential | undefined> {
  const named = fromVariables(wallet.env);
  if (named !== undefined && named.host === host) return { user: named.user, password: named.password };
  const config = readDockerConfig(wallet);
  const helper = stringIn(config["credHelpers"], host) ?? textOf(config["credsStore"]);
  if (helper !== undefined) return await askHelper(helper, host, { wallet, signal });
  return inAuths(config["auths"], host);
}

interface NamedCredential {
  user: string;
  password: string;
  /** The only host that the credential is for, spelled as in addresses; empty if none is named. */
  host: string;
}

/**
 * Returns the credential in the environment. A password is for one host: an address that another person chose
 * must not receive it.
 */
function fromVariables(env: Wallet["env"]): NamedCredential | undefined {
  const { CTX_REGISTRY_USER: user, CTX_REGISTRY_PASSWORD: password, CTX_REGISTRY_HOST: host = "" } = env;
  if (user === undefined || user === "" || password === undefined) return undefined;
  return { user, password, host: host.trim().toLowerCase() };
}

/** Returns the hint for a user whom a registry does not know. */
export function logInHint(host: string, { env }: Wallet): string {
  const named = fromVariables(env);
  if (named !== undefined && named.host !== host)
    return `CTX_REGISTRY_USER and CTX_REGISTRY_PASSWORD were not sent: ${
      named.host === "" ? "CTX_REGISTRY_HOST is not set" : `CTX_REGISTRY_HOST is ${named.host.slice(0, 100)}`
    }; to use them for this registry, set CTX_REGISTRY_HOST=${host}`;
  return `log in with \`docker login\` or another program that writes ~/.docker/config.json, or set CTX_REGISTRY_HOST=${host}, CTX_REGISTRY_USER and CTX_REGISTRY_PASSWORD`;
}

const variables = "CTX_REGISTRY_HOST, CTX_REGISTRY_USER and CTX_REGISTRY_PASSWORD";

function readDockerConfig({ home, env }: Wallet): Record<string, unknown> {
  const folder = env["DOCKER_CONFIG"] ?? "";
  const path = join(folder === "" ? join(home, ".docker") : folder, "config.json");
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path).toString("utf8"));
    return isRecord(value) ? value : {};
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return {};
    throw new CtxError("registry", `${path} cannot be read: ${reasonOf(error)}`, {
      hint: `fix it, or set ${variables}`,
    });
  }
}

/**
 * Returns why the file cannot be read. The parser's own message is not used: it quotes the text, which holds
 * passwords.
 */
function reasonOf(error: unknown): string {
  return errnoOf(error) ?? "it is not JSON";
}

function inAuths(auths: unknown, host: string): Credential | undefined {
  if (!isRecord(auths)) return undefined;
  const names = [host, `https://${host}`, `https://${host}/`, `https://${host}/v1/`, `https://${host}/v2/`];
  for (const name of names) {
    const found = Object.hasOwn(auths, name) ? auths[name] : undefined;
    if (!isRecord(found)) continue;
    const identityToken = textOf(found["identitytoken"]);
    if (identityToken !== undefined) return { identityToken };
    const both = textOf(found["auth"]);
    if (both !== undefined) {
      const [, user, password] =
        /^([^:]*):([\s\S]*)$/.exec(Buffer.from(both, "base64").toString("utf8")) ?? [];
      if (user !== undefined && password !== undefined) return { user, password };
    }
    const user = textOf(found["username"]);
    const password = textOf(found["password"]);
    if (user !== undefined && password !== undefined) return { user, password };
  }
  return undefined;
}

/** Runs `docker-credential-<name> get`, with the host on its standard input. */
async function askHelper(
  name: string,
  host: string,
  { wallet: { env }, signal }: { wallet: Wallet; signal: AbortSignal | undefined },
): Promise<Credential | undefined> {
  const program = findProgram(`docker-credential-${name}`, env["PATH"] ?? "");
  if (!/^[A-Za-z0-9._-]+$/.test(name) || program === undefined)
    throw new CtxError(
      "registry",
      `the program docker-credential-${name}, which ~/.docker/config.json names, is not on the PATH`,
      {
        hint: `install it, or set ${variables}`,
      },
    );
  const { status, output } = await run(program, host, { env, signal });
  if (status !== 0) {
    if (/credentials not found/i.test(output)) return undefined;
    throw new CtxError("registry", `docker-credential-${name} failed`, {
      hint: `log in again with the program that stored the password, or set ${variables}`,
    });
  }
  const answer = parsed(output);
  const user = textOf(answer["Username"]);
  const secret = textOf(answer["Secret"]);
  if (user === undefined || secret === undefined) return undefined;
  return user === "<token>" ? { identityToken: secret } : { user, password: secret };
}

async function run(
  program: string,
  input: string,
  { env, signal }: { env: Wallet["env"]; signal: AbortSignal | undefined },
): Promise<{ status: number; output: string }> {
  return await new Promise((resolve) => {
    const child = spawn(program, ["get"], {
      env: { ...env },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 60_000,
      // Do not wait for a process that ignores a polite signal.
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
    });
    let output = "";
    child.stdout.on("data", (piece: Buffer) => {
      if (output.length < 1 << 16) output += piece.toString("utf8");
    });
    child.stdin.on("error", () => undefined);
    child.on("error", () => resolve({ status: 1, output: "" }));
    child.on("close", (status) => resolve({ status: status ?? 1, output }));
    // A background process that the helper left behind may keep its output open for ever.
    child.on("exit", () => void setTimeout(() => child.stdout.destroy(), 1000).unref());
    child.stdin.end(input);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function stringIn(value: unknown, key: string): string | undefined {
  return isRecord(value) && Object.hasOwn(value, key) ? textOf(value[key]) : undefined;
}
