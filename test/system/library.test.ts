// The built library in a program of its own: its working directory changes, and its store goes away.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { repository } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";
import { json, smallLog } from "../../dev/logs.js";

const library = pathToFileURL(join(repository, "dist/lib/index.js")).href;

/** Runs a program that has imported the library, and returns what it printed. */
function run(folder: string, text: string): { stdout: string; stderr: string } {
  const program = `import * as ctx from ${JSON.stringify(library)};\nimport * as fs from "node:fs";\n${text}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
  });
  return { stdout, stderr };
}

describe("the built library", () => {
  it("the built library keeps to the store that it opened when the program changes its working directory", () => {
    const folder = fs.realpathSync(tempFolder());
    const elsewhere = tempFolder();
    fs.writeFileSync(join(folder, "run.json"), json(smallLog()));
    const { stdout, stderr } = run(
      folder,
      `ctx.init(".");
      const store = ctx.Store.open(".ctx");
      process.chdir(${JSON.stringify(elsewhere)});
      ctx.pack(store, { file: ${JSON.stringify(join(folder, "run.json"))} });
      console.log(store.root, ctx.log(store).entries.length);`,
    );
    expect([stdout, stderr]).toEqual([`${join(folder, ".ctx")} 1\n`, ""]);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  it("the built library reports that a store is gone from verify, log and gc", () => {
    const folder = fs.realpathSync(tempFolder());
    const { stdout, stderr } = run(
      folder,
      `ctx.init(".");
      const store = ctx.Store.find(".");
      fs.renameSync(".ctx", "gone");
      for (const work of [() => ctx.verify(store, []), () => ctx.log(store), () => ctx.gc(store)])
        try { work(); console.log("fine"); } catch (error) { console.log(error.name, error.code, error.data.path); }`,
    );
    const line = `CtxError no-store ${join(folder, ".ctx")}\n`;
    expect([stdout, stderr]).toEqual([line.repeat(3), ""]);
    expect(fs.readdirSync(folder)).toEqual(["gone"]);
  });
});
