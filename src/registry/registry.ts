// A repository in a registry, following the OCI distribution specification. Credentials go to the host that
// the user named and to no other: redirects are followed here, not by the client, and without credentials.
import type { IncomingMessage } from "node:http";
import { CtxError } from "../base/errors.js";
import { type Address, isLoopback, repositoryText } from "./address.js";
import {
  basic,
  type Challenge,
  checkRealm,
  fetchToken,
  mistaken,
  NoToken,
  parseChallenge,
  Scopes,
} from "./challenge.js";
import { type Credential, findCredential, logInHint, type Wallet } from "./credentials.js";
import {
  type RequestBody,
  Client,
  dismiss,
  isRefused,
  isTimeout,
  isTransient,
  readBody,
  type HttpRequest,
} from "./http.js";
import { hintFor, refusalText } from "./refusal.js";
import { retryAfter, type RetryOptions, retrying, type Attempt } from "./retry.js";

export interface RegistryOptions {
  wallet: Wallet;
  /** Use plain HTTP, though the host is not this machine. */
  plainHttp?: boolean;
  signal?: AbortSignal | undefined;
  /** Called with the reason for a retry, if the wait is noticeable. */
  waiting?: ((why: string) => void) | undefined;
  /** How long a connection may be idle, in milliseconds. */
  patience?: number;
}

export interface RegistryRequest {
  method: HttpRequest["method"];
  /** Relative to the repository, such as `blobs/sha256:…`; or a URL that the registry named. */
  path: string | URL;
  headers?: Record<string, string>;
  body?: RequestBody;
  /** The statuses that are no failure. */
  expect: readonly number[];
}

const maxRedirects = 5;

export class Registry {
  readonly text: string;
  readonly #address: Address;
  readonly #wallet: Wallet;
  readonly signal: AbortSignal | undefined;
  /** How transient failures are retried. */
  readonly retry: RetryOptions;
  readonly #client: Client;
  #base: URL;
  #authorization: string | undefined;
  /** All scopes requested so far: a new token must cover all of them. */
  readonly #scopes = new Scopes();
  #tokenRequest: { key: string; answer: Promise<string> } | undefined;
  #credential: Promise<Credential | undefined> | undefined;
  /** Whether the user has credentials here; a token may also be anonymous. */
  #isNamed = false;
  /** Whether the host has ever answered: if it refuses connections after that, it may just be restarting. */
  #wasReached = false;

  constructor(address: Address, { wallet, plainHttp = false, signal, waiting, patience }: RegistryOptions) {
    this.#address = address;
    this.#client = new Client(patience);
    this.#wallet = wallet;
    this.signal = signal;
    const onWait = (why: unknown): void => waiting?.(why instanceof Error ? why.message : String(why));
    this.retry = { signal, waiting: onWait };
    this.text = repositoryText(address);
    const isPlain = plainHttp || isLoopback(address.host);
    this.#base = new URL(`${isPlain ? "http" : "https"}://${address.host}/v2/${address.repository}/`);
  }

  close(): void {
    this.#client.close();
  }

  /** Sends a request until there is an answer. An unexpected status is an error that quotes the registry. */
  async request(request: RegistryRequest): Promise<IncomingMessage> {
    return await retrying(async () => await this.attempt(request), this.retry);
  }

  /** Sends a request like `request`, and reads the whole answer. */
  async read(request: RegistryRequest, most: number): Promise<{ response: IncomingMessage; body: Buffer }> {
    return await retrying(async () => {
      const tried = await this.attempt(request);
      if (!("done" in tried)) return tried;
      try {
        return { done: { response: tried.done, body: await readBody(tried.done, most) } };
      } catch (error) {
        if (isTransient(error)) return { again: this.#unreachable(error) };
        throw this.signal?.aborted === true ? this.signal.reason : error;
      }
    }, this.retry);
  }

  /** Sends a request once. Returns the answer, or that another try is worthwhile. */
  async attempt(request: RegistryRequest): Promise<Attempt<IncomingMessage>> {
    let response: IncomingMessage;
    try {
      response = await this.#authorized(request);
    } catch (error) {
      if (this.signal?.aborted === true) throw this.signal.reason;
      // A host that never answered is unreachable: do not retry.
      const isSilent = isTimeout(error) && !this.#wasReached;
      if ((isTransient(error) && !isSilent) || (this.#wasReached && isRefused(error)))
        return { again: this.#unreachable(error) };
      if (error instanceof NoToken && isTransientStatus(error.status))
        return { again: error, after: error.after };
      throw error instanceof CtxError ? error : this.#unreachable(error);
    }
    this.#wasReached = true;
    const status = response.statusCode ?? 0;
    if (request.expect.includes(status)) return { done: response };
    const error = await this.#refusal(request, response);
    if (!isTransientStatus(status)) throw error;
    return { again: error, after: retryAfter(response.headers["retry-after"]) };
  }

  async #authorized(request: RegistryRequest): Promise<IncomingMessage> {
    for (let tries = 0; ; tries++) {
      const used = this.#authorization;
      const base = this.#base;
      const { response, isOwn } = await this.#following(request, used);
      if (response.statusCode === 400 && (await this.#isReallySecure(request, base, response))) continue;
      // A server that the registry redirects to must not receive credentials.
      if (response.statusCode !== 401 || tries > 1 || !isOwn) return response;
      const challenge = parseChallenge(response.headers["www-authenticate"]);
      // Another request may have obtained a token meanwhile.
      if (this.#authorization !== used) {
        dismiss(response);
        continue;
      }
      const authorization = challenge === undefined ? undefined : await this.#answer(challenge);
      if (authorization === undefined || authorization === used) return response;
      dismiss(response);
      this.#authorization = authorization;
    }
  }

  /**
   * Returns whether a registry on this machine speaks HTTPS after all, which its answer to plain HTTP says.
   */
  async #isReallySecure(request: RegistryRequest, base: URL, response: IncomingMessage): Promise<boolean> {
    if (base.protocol === "https:" || !isLoopback(base.host) || typeof request.path !== "string")
      return false;
    if (!(response.headers["content-type"] ?? "text/plain").startsWith("text/plain")) return false;
    // The answer to HEAD has no body that could say so.
    const isHead = request.method === "HEAD";
    if (isHead) response.destroy();
    const answer = isHead
      ? await this.#client.send({ method: "GET", url: new URL("/v2/", base), signal: this.signal })
      : response;
    const text = (await readBody(answer, 1 << 16)).toString("latin1");
    if (!text.includes("HTTP request to an HTTPS server")) return false;
    this.#base = new URL(this.#base.href.replace(/^http:/, "https:"));
    return true;
  }

  /** Returns the authorization header for a challenge, if the user has the credentials for it. */
  async #answer(challenge: Challenge): Promise<string | undefined> {
    if (challenge.kind === "basic") {
      const credential = await this.#find();
      return credential !== undefined && "user" in credential ? basic(credential) : undefined;
    }
    const realm = checkRealm(challenge.realm, this.#base);
    const credential = await this.#find();
    if (challenge.scope !== undefined) this.#scopes.add(challenge.scope);
    const scopes = this.#scopes.all();
    const key = scopes.join(" ");
    if (this.#tokenRequest?.key !== key) {
      const answer = fetchToken(
        this.#client,
        { realm, service: challenge.service, scopes },
        { credential, logIn: logInHint(this.#address.host, this.#wallet), signal: this.signal },
      );
      const tokenRequest = { key, answer };
      this.#tokenRequest = tokenRequest;
      const forget = (): void => {
        if (this.#tokenRequest === tokenRequest) this.#tokenRequest = undefined;
      };
      answer.then(forget, forget);
    }
    return `Bearer ${await this.#tokenRequest.answer}`;
  }

  async #find(): Promise<Credential | undefined> {
    this.#credential ??= findCredential(this.#address.host, this.#wallet, this.signal);
    const credential = await this.#credential;
    this.#isNamed = credential !== undefined;
    return credential;
  }

  async #following(
    request: RegistryRequest,
    authorization: string | undefined,
  ): Promise<{ response: IncomingMessage; isOwn: boolean }> {
    let url = typeof request.path === "string" ? new URL(request.path, this.#base) : request.path;
    for (let count = 0; ; count++) {
      const isOwn = url.origin === this.#base.origin;
      const response = await this.#client.send({
        method: request.method,
        url,
        headers: {
          "user-agent": "ctx",
          ...request.headers,
          ...(isOwn && authorization !== undefined ? { authorization } : {}),
        },
        body: request.body,
        signal: this.signal,
      });
      const { location } = response.headers;
      const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
      if (!isRedirect || location === undefined) return { response, isOwn };
      dismiss(response);
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new CtxError("registry", `${this.#base.host} redirects uploads, which ctx does not follow`);
      if (count >= maxRedirects) throw new CtxError("registry", `${this.#base.host} redirects endlessly`);
      url = this.resolveLocation(location, url);
    }
  }

  /** Returns a URL that the registry named. Throws unless it is as safe as the registry itself. */
  resolveLocation(location: string, from: URL | string = ""): URL {
    const bad = (why: string): CtxError =>
      new CtxError("registry", `${this.#base.host} redirects to ${location.slice(0, 200)}, ${why}`);
    let url: URL;
    try {
      url = new URL(location, new URL(from, this.#base));
    } catch {
      throw bad("which is not a valid address");
    }
    if (url.username !== "" || url.password !== "") throw bad("which contains a password");
    if (url.origin === this.#base.origin) return url;
    if (isLoopback(url.host) && !isLoopback(this.#base.host)) throw bad("which is on this machine");
    const isPlain = url.protocol === "http:" && isLoopback(url.host);
    if (url.protocol !== "https:" && !isPlain) throw bad("which is not safe");
    return url;
  }

  async #refusal(request: RegistryRequest, response: IncomingMessage): Promise<CtxError> {
    const status = response.statusCode ?? 0;
    const detail = request.method === "HEAD" ? "" : await refusalText(response);
    if (request.method === "HEAD") dismiss(response);
    const what =
      typeof request.path === "string"
        ? request.path
        : request.method === "GET"
          ? "a list of tags"
          : "an upload";
    const refused = status === 401 ? mistaken : denied;
    const anonymousHint = logInHint(this.#address.host, this.#wallet);
    const hint = status === 401 || status === 403 ? (this.#isNamed ? refused : anonymousHint) : undefined;
    return new CtxError(
      "registry",
      `${this.text}: ${request.method} ${what} was answered with ${status}${detail}`,
      {
        data: { status },
        ...(hint === undefined ? {} : { hint }),
      },
    );
  }

  #unreachable(error: unknown): CtxError {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // If all of several addresses fail, the error has a code and no message.
    const why = error instanceof Error && error.message !== "" ? error.message : code;
    const hint = hintFor(code, why);
    return new CtxError("registry", `cannot reach ${this.#base.host}: ${why.slice(0, 200)}`, {
      cause: error,
      ...(code === "" ? {} : { data: { errno: code } }),
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

const denied = "you are logged in, but the registry does not allow you to do that there";

/** Returns whether a status is transient. */
function isTransientStatus(status: number): boolean {
  return status === 429 || status >= 500;
}
