// Runs one case in a folder of its own, and returns the outcome. Used by `npm run torture` and by the tests.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount } from "../dev/mounts.js";
import type { Case, Options, Report } from "./case.js";

/** What a case needs and this machine, or this user, does not have. Mounting file systems needs root. */
export function missingFor({ needs = [] }: Case): string[] {
  return needs.filter((need) =>
    need === "root"
      ? !canMount()
      : spawnSync("sh", ["-c", `PATH="$PATH:/usr/sbin:/sbin" command -v -- "$0"`, need], { stdio: "ignore" })
          .status !== 0,
  );
}

/** Runs a case; an error that it throws is a violation, too. */
export async function runCase(one: Case, options: Omit<Options, "scratch">): Promise<Report> {
  const scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ctx-torture-case-")));
  try {
    return await one.run({ ...options, scratch });
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { points: 0, tries: 0, violations: [`the case broke off: ${text}`] };
  } finally {
    unmountBelow(scratch);
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** Unmounts every file system that is still mounted below a folder. */
function unmountBelow(folder: string): void {
  if (process.platform !== "linux") return;
  const points = fs
    .readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "))
    .filter((point) => point.startsWith(`${folder}/`));
  for (const point of points.reverse()) spawnSync("umount", ["-l", point], { stdio: "ignore" });
}
