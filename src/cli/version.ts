// The version is put in by the build, so that `ctx --version` reads no file.
declare const CTX_VERSION: string | undefined;

export const version: string = typeof CTX_VERSION === "string" ? CTX_VERSION : "0.0.0-source";
