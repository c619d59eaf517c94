import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pack } from "../../src/ops/pack.js";
import { repository } from "../../dev/built.js";
import { tempStore } from "../../dev/folders.js";

const folder = join(repository, "test/golden/identity");
const names = fs.readdirSync(folder).flatMap((file) => /^(.*)\.log\.json$/.exec(file)?.[1] ?? []);

describe("identity", () => {
  it.each(names)("vectors: %s gets its manifest, byte for byte, and its hash", (name) => {
    const store = tempStore();
    const result = pack(store, { file: join(folder, `${name}.log.json`) });
    const expected = fs.readFileSync(join(folder, `${name}.hash`), "utf8").trim();
    const hex = result.hash.slice("sha256:".length);
    const object = fs.readFileSync(join(store.root, "objects", hex.slice(0, 2), hex.slice(2)));
    expect(object.toString()).toBe(fs.readFileSync(join(folder, `${name}.manifest.json`), "utf8"));
    expect(result.hash).toBe(expected);
  });

  it("vectors: there are at least five", () => expect(names.length).toBeGreaterThanOrEqual(5));
});
