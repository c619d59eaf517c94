// Fork and seal, under whatever names and contents there may be: an unedited draft, sealed with
// the time and the parent of the original, is the original.
import * as fs from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json/value.js";
import { JsonReader } from "../../src/base/json/reader.js";
import { prettyBytes } from "../../src/base/json/pretty.js";
import { nameProblem } from "../../src/model/names.js";
import { fork, forkAndSeal } from "../../src/ops/fork.js";
import { pack } from "../../src/ops/pack.js";
import { show } from "../../src/ops/show.js";
import { status } from "../../src/ops/status.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json } from "../../dev/logs.js";

const wild = fc.string({ unit: "binary", maxLength: 12 });
const awkward = fc.constantFrom(
  "README",
  "readme",
  "a",
  "A",
  "a/b",
  "a/B",
  "A/b",
  "a~2",
  "aux.c",
  "CON",
  ".git",
  ".git/config",
  ".ctx/x",
  "100%",
  "%61",
  "x.",
  "x ",
  "a:b",
  "a\\b",
  "caf\u00e9",
  "cafe\u0301",
  "\u202e.txt",
  "-rf",
  "nul",
  "git~1",
  `${"d/".repeat(1000)}x`,
  "n".repeat(255),
  "%".repeat(255),
  "\u{1f600}".repeat(63),
);
const name = fc.oneof(awkward, awkward, wild).filter((text) => nameProblem(text) === undefined);
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString("base64"));
const content = fc.oneof(fc.record({ content: wild }), fc.record({ content_base64: bytes }));
const free = fc.dictionary(
  fc.oneof(wild, fc.constantFrom("__proto__", "constructor")),
  fc.oneof(wild, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null), fc.boolean()),
  { maxKeys: 3 },
);
const time = fc.constantFrom("2026-02-10T12:00:00Z", "2026-02-10T12:00:00.123456789Z");
const word = wild.filter((text) => text !== "");

/** Items with names of their own. */
function named(): fc.Arbitrary<{ name: string }[]> {
  return fc
    .uniqueArray(name, { maxLength: 6 })
    .chain((names) => fc.tuple(...names.map((own) => content.map((made) => ({ name: own, ...made })))));
}

const log = fc.record(
  {
    created: time,
    model: fc.record({ identifier: word, parameters: free }),
    system_prompt: wild,
    prompts: fc.array(
      fc
        .tuple(fc.oneof(wild, fc.constantFrom("../x", "user")), content)
        .map(([role, made]) => ({ role, ...made })),
      { maxLength: 3 },
    ),
    inputs: named(),
    steps: fc.array(
      fc.record(
        {
          type: fc.oneof(word, fc.constant("tool_call")),
          tool: fc.oneof(word, fc.constantFrom("read_file", "../../x", "mcp__a__b")),
          parameters: free,
          output_base64: bytes,
          seen: wild,
          deterministic: fc.boolean(),
          timestamp: time,
          pack: fc.constant(`sha256:${"ab".repeat(32)}`),
          metadata: free,
        },
        { requiredKeys: ["type", "tool"] },
      ),
      { maxLength: 5 },
    ),
    outputs: named(),
    environment: fc.record({
      os: wild,
      runtime: wild,
      tool_versions: fc.dictionary(wild, wild, { maxKeys: 2 }),
    }),
    parent: fc.constant(`sha256:${"cd".repeat(32)}`),
    metadata: free,
  },
  { requiredKeys: ["created", "model", "system_prompt", "environment"] },
);

/** Without the pack's own name. */
function plain(value: { outputs: object[] }): unknown {
  return { ...value, outputs: value.outputs.map((output) => ({ ...output, context_pack: "" })) };
}

/** Edits the log of a draft. */
function editLog(folder: string, change: (log: JsonObject) => void): void {
  const path = join(folder, "execution.json");
  const value = new JsonReader(fs.readFileSync(path)).value() as JsonObject;
  change(value);
  fs.writeFileSync(path, prettyBytes(value));
}

/** CI draws more runs than a person waits for. */
const runs = process.env["CTX_TEST_ALL"] === undefined ? 30 : 100;

describe("a draft of any run", () => {
  it("a draft of any run, sealed with its time and parent, is the original but for its origin", () => {
    const store = tempStore();
    let odd = 0;
    fc.assert(
      fc.property(log, fc.boolean(), (made, inStore) => {
        const original = pack(store, { bytes: json(made), folder: store.folder }, { sidecars: false });
        const folder = inStore ? undefined : join(tempFolder(), "draft");
        const { draft } = fork(store, original.hash, { folder });
        expect(status(store, [draft]).drafts).toMatchObject([
          { state: "unedited", changes: [], problems: [] },
        ]);
        editLog(draft, (value) => {
          if (original.parent === undefined) delete value["parent"];
          else value["parent"] = original.parent;
        });
        const again = pack(store, { file: draft }, { created: original.created, allowEmpty: true });
        const { origin, ...metadata } = show(store, again.hash).metadata as JsonObject;
        expect(origin).toEqual({ kind: "draft", edited: ["unknown"] });
        const { metadata: _m, hash: _h, ...sealed } = show(store, again.hash);
        const { metadata: own = {}, hash: _o, ...same } = show(store, original.hash);
        expect(plain(sealed)).toEqual(plain(same));
        expect(metadata).toEqual(own);
        if ((made.inputs ?? []).some((input) => !fs.existsSync(join(draft, "inputs", input.name)))) odd++;
        const removed = pack(store, { file: draft }, { allowEmpty: true, remove: true });
        expect(removed.notices.filter((text) => !text.includes("not text"))).toEqual([]);
        expect(fs.existsSync(draft)).toBe(false);
      }),
      { numRuns: 3 * runs },
    );
    // The generator must have come up with names that cannot be file names.
    expect(odd).toBeGreaterThan(runs / 10);
  }, 300_000);

  it("a draft of any run, edited in one place, differs in that place, with a folder and without", () => {
    const store = tempStore();
    fc.assert(
      fc.property(log, wild, (made, prompt) => {
        const original = pack(store, { bytes: json(made), folder: store.folder }, { sidecars: false });
        fc.pre(prompt !== made.system_prompt);
        const { draft } = fork(store, original.hash);
        fs.writeFileSync(join(draft, "system_prompt.md"), prompt);
        const {
          created: _a,
          parent: _b,
          hash: _c,
          system_prompt: other,
          metadata: { origin, ...metadata } = {},
          ...rest
        } = show(store, pack(store, { file: draft }, { sidecars: false }).hash);
        const {
          created: _d,
          parent: _e,
          hash: _f,
          system_prompt: first,
          metadata: own = {},
          ...same
        } = show(store, original.hash);
        expect(plain(rest)).toEqual(plain(same));
        expect(metadata).toEqual(own);
        expect(origin).toEqual({ kind: "draft", edited: ["system_prompt"] });
        expect(other).not.toBe(first);
        const sealed = forkAndSeal(store, original.hash, {
          set: ["system_prompt=@-"],
          readFile: () => Buffer.from(prompt),
        });
        expect(show(store, sealed.hash)).toMatchObject({
          system_prompt: other,
          parent: original.hash,
        });
      }),
      { numRuns: runs },
    );
  }, 300_000);
});
