// Names of inputs and outputs: kept verbatim, and refused if they could lead out of their folder.

/** Returns what is wrong with a name, or undefined if it is legal. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (name.includes("\0")) return "must not contain a NUL character";
  if (name.startsWith("/") || name.startsWith("\\")) return "must be relative, but starts with a slash";
  if (/^(?:[A-Z]:|[a-z]:(?:[/\\]|$))/.test(name)) return "must be relative, but starts with a drive letter";
  if (Buffer.byteLength(name) > 4096) return "is longer than 4,096 bytes";
  for (const part of name.split(/[/\\]/)) {
    if (part === "") return "has an empty component";
    if (part === "." || part === "..") return `has a "${part}" component`;
    if (Buffer.byteLength(part) > 255) return "has a component longer than 255 bytes";
  }
  return undefined;
}

/** Returns the name if it is legal, else the name without its illegal parts. */
export function legalName(name: string): string {
  if (nameProblem(name) === undefined) return name;
  const parts = name
    .replaceAll("\0", "")
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map((part) => part.replace(/^([A-Za-z]):+/, "$1"))
    .map((part) =>
      Buffer.byteLength(part) > 255 ? part.slice(0, 60).replace(/[\ud800-\udbff]$/, "") : part,
    );
  return parts.slice(-10).join("/") || "unnamed";
}

/** The folder that holds the names of files from outside the run's own folder. */
export const outsideName = ".outside";

/** `nameProblem` as a JSON Schema, which counts characters instead of bytes. */
export const nameSchema = {
  minLength: 1,
  maxLength: 4096,
  not: {
    pattern: "\\u0000|^[A-Z]:|^[a-z]:([/\\\\]|$)|(^|[/\\\\])\\.{0,2}([/\\\\]|$)|[^/\\\\]{256}",
  },
};
