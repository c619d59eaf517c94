// Constants that the build sets: the version, so that `ctx --version` reads no file, and whether this is the
// executable.
declare const CTX_VERSION: string | undefined;
declare const CTX_EXECUTABLE: boolean | undefined;

export const version: string = typeof CTX_VERSION === "string" ? CTX_VERSION : "0.0.0-source";

/** Whether this is the executable, a single file with its own runtime. */
export const isExecutable: boolean = typeof CTX_EXECUTABLE === "boolean" && CTX_EXECUTABLE;
