// The folder that a run says it took place in.
import type { Manifest } from "./manifest.js";

/** Undefined when the run does not say. The path may be one of another machine. */
export function workdirOf({ metadata }: Pick<Manifest, "metadata">): string | undefined {
  const source = metadata?.["source"];
  const inSource =
    typeof source === "object" && source !== null && "cwd" in source ? source["cwd"] : undefined;
  return [metadata?.["workdir"], metadata?.["cwd"], inSource].find((value) => typeof value === "string");
}
