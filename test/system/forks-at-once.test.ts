// Many forks at once: each is a whole draft, and of those into one folder one is made.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { snapshot } from "../../dev/folders.js";
import { type Ended, runCtx, together } from "../../dev/processes.js";
import { copyOf, crashLog, emptyStore, must, packArgs } from "../../dev/scenes.js";
import { leftovers } from "../../dev/store-check.js";

const patience = 120_000;
const crowd = 8;

/** Returns a store with one pack, and what a whole draft of it holds. */
async function forkable(): Promise<{ folder: string; whole: string }> {
  const folder = await emptyStore(crashLog({ steps: [{ type: "reasoning", output: "Two lines." }] }));
  await must(folder, packArgs);
  const drafted = copyOf(folder);
  await must(drafted, ["fork", "latest", "draft"]);
  return { folder, whole: shapeOf(join(drafted, "draft")) };
}

/**
 * Returns what a draft holds, without its time and modes, which depend on where it is; what does not belong
 * to it shows.
 */
function shapeOf(draft: string): string {
  return [...snapshot(draft)]
    .map(([path, content]) => {
      const name = relative(draft, path);
      if (name !== "execution.json") return `${name} ${content.replace(/^\d+/, "")}`;
      const log = JSON.parse(fs.readFileSync(path, "utf8")) as object;
      return `${name} ${JSON.stringify({ ...log, created: "" })}`;
    })
    .sort()
    .join("\n");
}

/** Returns the folders that forks write aside. */
function stagedIn(folder: string): string[] {
  return (fs.readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    /(?:^|\/)\.ctx-draft-[^/]*$/.test(path),
  );
}

function wordsOf({ status, stdout, stderr }: Ended): string {
  return `${status} ${stdout}${stderr}`;
}

describe("forks at once", () => {
  it("many forks of one pack at once make as many drafts, all complete", { timeout: patience }, async () => {
    const { folder, whole } = await forkable();
    const ended = await together(folder, crowd, () => ["fork", "latest"]);
    expect(ended.filter(({ status }) => status !== 0).map(wordsOf)).toEqual([]);
    const drafts = ended.map(({ stdout }) => resolve(tmpdir(), stdout.trimEnd()));
    expect(new Set(drafts).size).toBe(crowd);
    expect(drafts.filter((draft) => shapeOf(draft) !== whole)).toEqual([]);
    expect(fs.readdirSync(join(folder, ".ctx/drafts")).length).toBe(crowd);
    expect([...leftovers(folder), ...stagedIn(folder)]).toEqual([]);
  });

  it.each(["new", "empty"])(
    "many forks into one %s folder at once make one complete draft, and the others say so",
    { timeout: patience },
    async (place) => {
      const { folder, whole } = await forkable();
      if (place === "empty") fs.mkdirSync(join(folder, place));
      const ended = await together(folder, crowd, () => ["fork", "latest", place]);
      const made = ended.filter(({ status }) => status === 0);
      const refused = ended.filter(({ status, stderr }) => status === 2 && stderr.includes("exist"));
      expect(made.length + refused.length).toBe(crowd);
      // In an existing folder, each fork may have found that of another and stopped.
      if (place === "new" || made.length > 0) expect(shapeOf(join(folder, place))).toBe(whole);
      expect(made.length).toBeLessThanOrEqual(1);
      expect([...leftovers(folder), ...stagedIn(folder)]).toEqual([]);
      // Without other processes, this fork succeeds.
      await runCtx(folder, ["fork", "latest", place]);
      expect(shapeOf(join(folder, place))).toBe(whole);
    },
  );
});
