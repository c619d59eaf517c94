import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/base/errors.js";
import { JsonReader } from "../../src/base/json/reader.js";
import { main } from "../../src/cli/programs/all.js";
import { pack } from "../../src/ops/pack.js";
import { Store } from "../../src/store/store.js";
import { cli } from "../../dev/cli.js";
import { tempFolder, tempStore } from "../../dev/folders.js";
import { json, runLog, smallLog } from "../../dev/logs.js";
import { password } from "../../dev/secrets.js";

/** A way to provoke each code: a code that no input provokes fails the test. */
const provocations: Record<
  Exclude<ErrorCode, "not-json" | "store-busy" | "internal" | "interrupted">,
  (folder: string, root: string) => string[]
> = {
  usage: () => ["show"],
  "no-store": () => ["-C", tempFolder(), "log"],
  "store-unusable": (_folder, root) => {
    fs.rmSync(join(root, "config.json"));
    return ["log"];
  },
  "log-unreadable": (folder) => ["pack", join(folder, "none.json")],
  "log-invalid": (folder) => {
    fs.writeFileSync(join(folder, "bad.json"), '{"model":{},"steps":[]}');
    return ["pack", "bad.json"];
  },
  "no-run": (folder) => {
    fs.writeFileSync(join(folder, "none.json"), '[{"role":"system","content":"Be kind."}]');
    return ["pack", "none.json"];
  },
  "unknown-format": (folder) => {
    fs.writeFileSync(join(folder, "what.json"), "{}");
    return ["pack", "what.json"];
  },
  "bad-name": () => ["show", "ctx://x"],
  "not-found": () => ["show", "0000"],
  ambiguous: (_folder, root) => {
    for (const end of ["0", "1"]) fs.writeFileSync(join(root, "packs", "f".repeat(63) + end), "");
    return ["show", "ffff"];
  },
  "not-a-pack": (_folder, root) => {
    fs.mkdirSync(join(root, "objects/ff"), { recursive: true });
    fs.writeFileSync(join(root, "objects/ff", "e".repeat(62)), "");
    return ["show", `ff${"e".repeat(62)}`];
  },
  "tag-exists": (_folder, root) => {
    fs.writeFileSync(join(root, "refs/tags/v1"), `sha256:${"0".repeat(64)}\n`);
    return ["tag", "v1"];
  },
  "too-large": (_folder, root) => {
    const bytes = Buffer.alloc((64 << 20) + 1);
    const hex = createHash("sha256").update(bytes).digest("hex");
    fs.mkdirSync(join(root, "objects", hex.slice(0, 2)), { recursive: true });
    fs.writeFileSync(join(root, "objects", hex.slice(0, 2), hex.slice(2)), bytes);
    return ["cat", hex];
  },
  "in-use": (_folder, root) => {
    const latest = fs.readFileSync(join(root, "refs/latest"), "utf8");
    fs.writeFileSync(join(root, "refs/tags/v1"), latest);
    return ["rm", "latest"];
  },
  "not-backed": (folder) => {
    // The log says that the confidence in its output is high.
    fs.writeFileSync(join(folder, "answer.txt"), "2\n");
    return ["verify", "answer.txt", "--write-sidecar", "--confidence", "low"];
  },
  unchanged: () => ["fork", "latest", "--seal"],
  exists: (folder) => ["fork", "latest", folder],
  "nothing-to-compare": () => ["diff", "latest"],
  "no-such-part": () => ["show", "latest", "--step", "99"],
  damaged: (_folder, root) => {
    fs.mkdirSync(join(root, "objects/ff"), { recursive: true });
    fs.writeFileSync(join(root, "objects/ff", "e".repeat(62)), "x");
    return ["cat", `ff${"e".repeat(62)}`];
  },
  missing: (_folder, root) => {
    fs.writeFileSync(join(root, "packs", "f".repeat(64)), "");
    return ["show", "ffff"];
  },
  "bundle-invalid": (folder) => {
    fs.writeFileSync(join(folder, "bad.ctx"), "no tar");
    return ["import", "bad.ctx"];
  },
  "secret-found": (folder) => {
    const log = smallLog({ prompts: [{ role: "user", content: `PASSWORD=${password}` }] });
    pack(Store.find(folder), { bytes: Buffer.from(json(log)), folder, source: "-" }, { redact: "off" });
    return ["export", "latest"];
  },
  registry: () => ["remote", "ls", "oci://127.0.0.1:1/nobody/there"],
  "unknown-version": (_folder, root) => {
    fs.writeFileSync(join(root, "config.json"), '{"version":"7"}');
    return ["log"];
  },
  binary: () => ["cat", "a8100ae6aa19"],
  io: (_folder, root) => {
    fs.rmSync(join(root, "tmp"), { recursive: true });
    fs.writeFileSync(join(root, "tmp"), "");
    return ["pack", "-"];
  },
};

describe("error codes", () => {
  it.each(Object.keys(provocations) as (keyof typeof provocations)[])(
    "error code %s can be provoked, as text and as JSON",
    async (code) => {
      const store = tempStore();
      const { folder } = store;
      await cli(["pack", "-"], {
        folder,
        input: json(runLog({ inputs: [{ name: "x", content_base64: "/w==" }] })),
      });
      const argv = provocations[code](folder, store.root);
      const expected = code === "unchanged" ? 1 : 2;
      const text = await cli(argv, { folder, input: json(smallLog()), terminal: 80 });
      expect(text.status).toBe(expected);
      // `verify` prints its answer before it says that it no sidecar was written.
      if (code !== "not-backed") expect(text.stdout).toBe("");
      expect(text.stderr.replaceAll(/\u001b\[\d+m/g, "")).toMatch(
        /^error: [^\n]+\n(?: {2}[^\n]+\n)*(?:hint: [^\n]+\n)?$/,
      );
      if (code === "binary") return;
      const asJson = await cli([...argv, "--json"], { folder, input: json(smallLog()) });
      expect(asJson.status).toBe(expected);
      if (code !== "not-backed") expect(asJson.stdout).toBe("");
      expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code, message: expect.any(String) } });
      expect(asJson.stderr).not.toContain("    at ");
    },
  );

  it("error codes: the table and the tests list the same ones", () => {
    expect(
      [...Object.keys(provocations), "not-json", "store-busy", "internal", "interrupted"].sort(),
    ).toEqual(Object.keys(errorCodes).sort());
  });

  it("error code not-json is what the JSON reader throws", () => {
    expect(() => new JsonReader(Buffer.from("{")).value()).toThrow(
      expect.objectContaining({ code: "not-json" }),
    );
  });

  it("a bug in ctx is reported without a stack, unless CTX_DEBUG is set", async () => {
    const said: string[] = [];
    const stream = {
      isTerminal: false,
      screen: { width: 80, colour: false },
      write: (text: string | Buffer) => void said.push(String(text)),
    };
    const broken = {
      ...stream,
      write: () => {
        throw new TypeError("unexpected \u001b");
      },
    };
    const terminal = {
      out: broken,
      error: stream,
      folder: "/",
      env: {},
      program: [],
      readInput: () => Buffer.alloc(0),
      input: () => [],
    };
    expect(await main(["--help"], terminal)).toBe(2);
    expect(said.join("")).toBe(
      "error: ctx has a bug: TypeError: unexpected \\u{1b}\nhint: please report it, with the output of CTX_DEBUG=1\n",
    );
    expect(await main(["--help"], { ...terminal, env: { CTX_DEBUG: "1" } })).toBe(2);
    expect(said.join("")).toContain("    at ");
  });
});
