// Every way in which ctx refuses or fails is one CtxError with a code from this closed table. Scripts match
// on codes, people read messages; only the command line turns either into text and an exit status.

/** The meaning of each code. The keys are the contract; a code is never renamed. */
export const errorCodes = {
  usage: "the command line was not understood",
  "no-store": "there is no .ctx store here or above",
  "store-unusable": "the .ctx folder found cannot be used as a store",
  "store-busy": "another process holds the store",
  "log-unreadable": "the execution log cannot be read",
  "log-invalid": "the execution log does not follow the format",
  "no-run": "the log, or the replay, contains no run",
  "unknown-format": "the log is not in a format that ctx recognises",
  "not-json": "the document is not valid JSON",
  "bad-name": "the text is not a name of a pack or blob",
  "not-found": "nothing in the store or the repository has that name",
  ambiguous: "the name matches more than one pack, blob or session",
  "not-a-pack": "the hash names a blob, not a pack",
  "tag-exists": "a tag with that name already exists",
  "no-such-part": "the pack has no such step, prompt, input or output",
  damaged: "stored bytes do not match their name",
  missing: "a pack refers to a blob that is not in the store",
  "bundle-invalid": "a file or an artifact from elsewhere is not a valid bundle of packs",
  "secret-found": "a pack or log that would leave this machine contains a secret",
  registry: "a registry refused a request, failed, or sent wrong data",
  "unknown-version": "written by another version of the format",
  "too-large": "the content is too large to process or to show",
  "in-use": "other packs or tags in the store still refer to it",
  "not-backed": "no pack proves the file, so no sidecar was written",
  "nothing-to-compare": "neither pack has anything that could differ",
  unchanged: "a draft is identical to its parent pack",
  exists: "a file is already where the result would be written",
  interrupted: "a signal stopped the command",
  binary: "binary data would be printed on the terminal",
  internal: "a bug in ctx",
  io: "the operating system refused an operation",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** One problem of a document, and its location. `path` is a JSON path such as `steps[3].tool`. */
export interface Problem {
  path: string;
  message: string;
  /** The line in which the value begins, or the object that should have it; the first is 1. */
  line?: number;
}

export interface ErrorDetails {
  hint?: string;
  problems?: Problem[];
  data?: Record<string, unknown>;
  cause?: unknown;
}

export class CtxError extends Error {
  override readonly name = "CtxError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly problems: Problem[] | undefined;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.problems = details.problems;
    this.data = details.data;
  }
}

/** Returns the errno name of a failed system call, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (hasNul(error)) return "ENOENT";
  // For a path that is too long, Bun reports the number, and not the call.
  const isSystem = error instanceof Error && ("syscall" in error || "errno" in error);
  if (!isSystem || !("code" in error)) return undefined;
  const { code } = error;
  // Node has no name for an exceeded disk quota, and reports only its number.
  if (process.platform === "linux" && "errno" in error && error.errno === -122) return "EDQUOT";
  return typeof code === "string" ? code : undefined;
}

/** Runs `work`; a failed system call in it becomes an `io` error that names the path and the errno. */
export function withPath<T>(path: string, action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toIoError(error, path, action);
  }
}

/** Does the same for an error already caught; returns any error but a failed system call unchanged. */
export function toIoError(error: unknown, path: string, action: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const reason = reasons[errno] ?? "the system call failed";
  return new CtxError("io", `cannot ${action} ${path}: ${reason} (${errno})`, {
    data: { path, errno },
    cause: error,
    ...hints(errno, action),
  });
}

/** Does the same for a failed call on a path that the error itself names: for calls that hardly ever fail. */
export function asIoError(error: unknown): unknown {
  if (hasNul(error)) return toIoError(error, "a path that contains a NUL character", "access");
  if (errnoOf(error) === undefined || !(error instanceof Error) || !("path" in error)) return error;
  const { path, syscall } = error as { path: unknown; syscall?: unknown };
  return toIoError(
    error,
    String(path),
    syscall === "scandir" ? "list" : syscall === "open" ? "open" : "access",
  );
}

/**
 * Returns whether an error is about a NUL in a path. Node rejects such a path without calling the system:
 * there is no such file.
 */
function hasNul(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    (error as NodeJS.ErrnoException).code === "ERR_INVALID_ARG_VALUE" &&
    error.message.includes("null bytes")
  );
}

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  EEXIST: "it already exists",
  ELOOP: "a part of the path is a symbolic link",
  ENOSPC: "no space left on the device",
  EDQUOT: "disk quota exceeded",
  EROFS: "the file system is read-only",
  EIO: "the device reported an error",
  EMFILE: "too many open files in this process",
  ENFILE: "too many open files on this machine",
  ENAMETOOLONG: "the name is too long",
};

function hints(errno: string, action: string): { hint?: string } {
  if (errno === "ENOSPC" || errno === "EDQUOT") return { hint: "free some space and run the command again" };
  if (errno === "EACCES" && action === "read") return { hint: "give yourself read permission" };
  if (errno === "EROFS" || errno === "EACCES" || errno === "EPERM")
    return { hint: "give yourself write permission for the folder, or work on a copy of it" };
  if (errno === "EIO") return { hint: "check the disk and run the command again" };
  return {};
}
