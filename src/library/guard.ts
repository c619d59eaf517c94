// Wraps each function of the library: checks its arguments, throws if the store is gone, and throws only
// CtxErrors, except that errors from the caller's own callbacks pass through unchanged.
import { asIoError, CtxError } from "../base/errors.js";
import type { ArgumentCheck } from "./checks.js";
import { Store } from "../store/store.js";

/** A parameter: its name and its check. */
export interface Parameter {
  name: string;
  check: ArgumentCheck;
  isOptional?: boolean;
}

/** The store, which most functions take first. */
export const storeParameter: Parameter = {
  name: "store",
  check: (value) => (value instanceof Store ? undefined : "must be a Store, as Store.find returns it"),
};

/** Wraps a synchronous function. */
export function guarded<A extends unknown[], R>(
  name: string,
  run: (...args: A) => R,
  parameters: readonly Parameter[],
): (...args: A) => R {
  return (...args) => {
    const callbacks = new Callbacks();
    try {
      const checked = prepare(name, parameters, args, callbacks) as A;
      // oxlint-disable-next-line ctx/no-spread-call -- as many as the function has parameters
      const result = run(...checked);
      assertStoreExists(args);
      return result;
    } catch (error) {
      throw callbacks.isFromCaller(error) ? error : toCtxError(error, args);
    }
  };
}

/** Wraps a function that returns a promise. */
export function guardedAsync<A extends unknown[], R>(
  name: string,
  run: (...args: A) => Promise<R>,
  parameters: readonly Parameter[],
): (...args: A) => Promise<R> {
  return async (...args) => {
    const callbacks = new Callbacks();
    try {
      const checked = prepare(name, parameters, args, callbacks) as A;
      // oxlint-disable-next-line ctx/no-spread-call -- as many as the function has parameters
      const result = await run(...checked);
      assertStoreExists(args);
      return result;
    } catch (error) {
      throw callbacks.isFromCaller(error) ? error : toCtxError(error, args);
    }
  };
}

/**
 * Checks arguments and returns them, with callbacks wrapped so that their errors can be distinguished from
 * ours.
 */
function prepare(
  name: string,
  parameters: readonly Parameter[],
  args: readonly unknown[],
  callbacks: Callbacks,
): unknown[] {
  for (const [at, { name: parameter, check, isOptional }] of parameters.entries()) {
    const value = args[at];
    const problem = value === undefined && isOptional === true ? undefined : check(value);
    if (problem !== undefined)
      throw new CtxError("usage", `${name}: ${parameter} ${problem}`, {
        hint: "docs/library.md describes the parameters",
      });
  }
  assertStoreExists(args);
  return args.map((value) => callbacks.wrap(value));
}

function assertStoreExists([store]: readonly unknown[]): void {
  if (store instanceof Store) store.assertExists();
}

function toCtxError(thrown: unknown, args: readonly unknown[]): CtxError {
  const error = asIoError(thrown);
  if (error instanceof CtxError) return error;
  const isAborted = args.some(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      "signal" in value &&
      value.signal instanceof AbortSignal &&
      value.signal.aborted,
  );
  if (isAborted) return new CtxError("interrupted", "the signal aborted the operation", { cause: thrown });
  return new CtxError("internal", `ctx has a bug: ${String(thrown)}`, {
    hint: "please report it",
    cause: thrown,
  });
}

/** Wraps the functions and iterables that a caller passed, and remembers the errors they threw. */
class Callbacks {
  readonly #thrown = new Set<unknown>();

  isFromCaller(error: unknown): boolean {
    return this.#thrown.has(error);
  }

  /**
   * Returns a function that records what it throws, or a copy of an object, or of an array of them, whose
   * functions and iterables do. Any other value is returned unchanged.
   */
  wrap(value: unknown): unknown {
    if (typeof value === "function") return this.#wrapMember(value);
    if (Array.isArray(value)) return value.map((item) => this.wrap(item));
    if (typeof value !== "object" || value === null || value.constructor !== Object) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#wrapMember(member)]),
    );
  }

  #wrapMember(member: unknown): unknown {
    if (isPieces(member)) return this.#wrapPieces(member);
    if (typeof member !== "function") return member;
    return (...args: unknown[]): unknown => {
      // oxlint-disable-next-line ctx/no-spread-call -- as many as the function has parameters
      const result: unknown = this.#recording(() => Reflect.apply(member, undefined, args));
      return isPieces(result) ? this.#wrapPieces(result) : result;
    };
  }

  #wrapPieces(source: Iterable<unknown>): Iterable<unknown> {
    const recording = <T>(work: () => T): T => this.#recording(work);
    return {
      *[Symbol.iterator]() {
        const iterator = recording(() => source[Symbol.iterator]());
        for (
          let next = recording(() => iterator.next());
          next.done !== true;
          next = recording(() => iterator.next())
        )
          yield next.value;
      },
    };
  }

  #recording<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#thrown.add(error);
      throw error;
    }
  }
}

function isPieces(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.iterator in value &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
  );
}
