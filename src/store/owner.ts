// Who a file belongs to, in words that a person can do something with.
import * as fs from "node:fs";

/** The name of a user; the number where this machine has no name for it. Only called when something went wrong. */
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
