// The floors under `ctx replay`. Usage: node replay-floor.mjs files <folder> <count>, or: node
// replay-floor.mjs spawns <dist>
// <folder> <count>
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [what, ...rest] = process.argv.slice(2);
if (what === "files") files(/** @type {[string, string]} */ (rest));
else await spawns(/** @type {[string, string, string]} */ (rest));

/** Writes files, reads and hashes them, and deletes them, in bare loops. @param {[string, string]} given */
function files([folder, count]) {
  const paths = Array.from({ length: Number(count) }, (_, at) => join(folder, `file-${at}.txt`));
  for (const [at, path] of paths.entries()) writeFileSync(path, contentOf(at));
  for (const path of paths) createHash("sha256").update(readFileSync(path)).digest("hex");
  for (const path of paths) unlinkSync(path);
}

/** @param {number} at */
function contentOf(at) {
  return `line ${at}\n`.repeat(100);
}

/** Starts bwrap with the very arguments that a replay uses, one after the other. @param {[string, string, string]} given */
async function spawns([dist, folder, count]) {
  const { makeSandboxDir, readySandboxDir, removeSandboxDir } = await import(
    join(dist, "lib/replay/sandbox-dir.js")
  );
  const { commandLine } = await import(join(dist, "lib/replay/sandbox-args.js"));
  const box = makeSandboxDir({ temp: folder });
  try {
    readySandboxDir(box);
    const path = process.env["PATH"] ?? "";
    const program = { argv: ["/bin/bash", "-c", "true"], folder: box.visiblePath };
    const line = commandLine(box, { kind: "bwrap", version: "" }, program, {
      network: false,
      path,
      mark: "bench",
    });
    const user = box.user === undefined ? {} : { uid: box.user, gid: box.user };
    for (let at = 0; at < Number(count); at++) {
      const nothing = openSync("/dev/null", "r+");
      const filter = openSync(join(box.folder, "filter"), "r");
      const child = spawn(line.command, line.args, {
        env: line.env,
        stdio: [nothing, nothing, nothing, filter, nothing, nothing],
        detached: true,
        ...user,
      });
      const status = await new Promise((resolve) => child.on("exit", resolve));
      closeSync(nothing);
      closeSync(filter);
      if (status !== 0) throw new Error(`bwrap ended with ${status}`);
    }
  } finally {
    removeSandboxDir(box);
  }
}
