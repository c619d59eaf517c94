// What the build puts in: the version, so that `ctx --version` reads no file, and which of the two programs this is.
declare const CTX_VERSION: string | undefined;
declare const CTX_EXECUTABLE: boolean | undefined;

export const version: string = typeof CTX_VERSION === "string" ? CTX_VERSION : "0.0.0-source";

/** Whether this is the single file that holds its own runtime. */
export const isExecutable: boolean = typeof CTX_EXECUTABLE === "boolean" && CTX_EXECUTABLE;
