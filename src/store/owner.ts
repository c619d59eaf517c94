// Names the owner of a file in a way that is useful to a person.
import * as fs from "node:fs";

/** Returns the name of a user; the number if this machine has no name for it. Only called after an error. */
export function userName(uid: number): string {
  try {
    const line = fs
      .readFileSync("/etc/passwd")
      .toString("utf8")
      .split("\n")
      .find((each) => each.split(":")[2] === String(uid));
    const name = line?.split(":")[0] ?? "";
    return name === "" ? `user ${uid}` : name;
  } catch {
    return `user ${uid}`;
  }
}
