// Many logs through the library: committed in groups, reported in order, and a bad one stops no other.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CtxError,
  fork,
  pack,
  packAll,
  packMany,
  type PackManyInput,
  type PackResult,
  setTag,
  verify,
} from "../../../src/index.js";
import { packLogs } from "../../../src/ops/pack.js";
import { tempFolder, tempStore } from "../../../dev/folders.js";
import { json, smallLog } from "../../../dev/logs.js";
import { lines } from "../../../dev/intake.js";
import { sessionId, transcript, writeSession } from "../../../dev/sessions.js";

const at = (second: number): string => new Date(Date.UTC(2026, 1, 10, 12, 0, second)).toISOString();

/** Returns a log in memory. */
function inMemory(second: number, fields: Record<string, unknown> = {}): PackManyInput {
  return { bytes: Buffer.from(json(smallLog({ created: at(second), ...fields }))), folder: tempFolder() };
}

/** Packs logs, and returns what is reported: the time of each pack, or the code of the error. */
function reported(store: ReturnType<typeof tempStore>, inputs: PackManyInput[]): string[] {
  const outcomes: string[] = [];
  packMany(store, inputs, {
    onResult: (results, index) => outcomes.push(`${index} ${results.map((one) => one.created).join(" ")}`),
    onError: (error, index) => outcomes.push(`${index} ${error.code}`),
  });
  return outcomes;
}

describe("packMany", () => {
  it("packMany commits 1,000 logs in two groups, and reports each log when its group is durable", () => {
    const store = tempStore();
    const folder = tempFolder();
    const inputs = Array.from({ length: 1000 }, (_, second) => {
      const file = join(folder, `${second}.json`);
      fs.writeFileSync(file, json(smallLog({ created: at(second) })));
      return { file };
    });
    /** How many packs there are at each report. */
    const counts: number[] = [];
    const results: PackResult[] = [];
    packMany(store, inputs, {
      sidecars: false,
      onResult(some, index) {
        expect(index).toBe(counts.length);
        counts.push(fs.readdirSync(join(store.root, "packs")).length);
        results.push(...some);
      },
    });
    expect(counts).toEqual([...Array<number>(500).fill(500), ...Array<number>(500).fill(1000)]);
    expect(results.map(({ created }) => created)).toEqual(inputs.map((_, second) => at(second)));
    const other = tempStore();
    expect(pack(other, inputs[999] as { file: string }).hash).toBe(results[999]?.hash);
    for (const name of ["tmp", "locks"]) expect(fs.readdirSync(join(store.root, name))).toEqual([]);
  });

  it("packMany makes one commit of logs from memory, and a log without a time waits for those before it", () => {
    const store = tempStore();
    const counts: number[] = [];
    const onResult = (): number => counts.push(fs.readdirSync(join(store.root, "packs")).length);
    packMany(store, [inMemory(1), inMemory(2), inMemory(3)], { onResult });
    expect(counts.splice(0)).toEqual([3, 3, 3]);
    packMany(store, [inMemory(4), inMemory(5, { created: undefined, system_prompt: "x" }), inMemory(6)], {
      onResult,
    });
    expect(counts).toEqual([5, 5, 6]);
  });

  it("packMany reports errors in the order of the inputs, and packs the other logs", () => {
    const store = tempStore();
    const missing = { file: join(tempFolder(), "missing.json") };
    const bad: PackManyInput = { bytes: Buffer.from("{"), folder: tempFolder() };
    expect(reported(store, [missing, inMemory(1), bad, inMemory(2), missing])).toEqual([
      "0 log-unreadable",
      `1 ${at(1)}`,
      "2 unknown-format",
      `3 ${at(2)}`,
      "4 log-unreadable",
    ]);
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(2);
  });

  it("packMany throws the first error at the end if no callback takes it", () => {
    const store = tempStore();
    const missing = { file: join(tempFolder(), "missing.json") };
    const bad: PackManyInput = { bytes: Buffer.from("{"), folder: tempFolder() };
    expect(() => packMany(store, [missing, bad, inMemory(1)])).toThrow(
      expect.objectContaining({ code: "log-unreadable" }),
    );
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(1);
  });

  it("packMany ends with an error of a callback, and keeps what is durable", () => {
    const store = tempStore();
    const mine = new RangeError("mine");
    const reports: number[] = [];
    const onResult = (_: unknown, index: number): void => {
      reports.push(index);
      throw mine;
    };
    expect(() => packMany(store, [inMemory(1), inMemory(2)], { onResult })).toThrow(mine);
    expect(reports).toEqual([0]);
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(2);
    expect(fs.readdirSync(join(store.root, "locks"))).toEqual([]);
  });

  it("packMany lets an error of a stream pass as it is, after the logs before it", () => {
    const store = tempStore();
    const mine = new RangeError("mine");
    function* failing(): Generator<Buffer> {
      yield Buffer.from("{");
      throw mine;
    }
    const created: string[] = [];
    const onResult = (results: PackResult[]): void => void created.push(...results.map((one) => one.created));
    const inputs = [inMemory(1), { pieces: failing(), folder: tempFolder() }];
    expect(() => packMany(store, inputs, { onResult })).toThrow(mine);
    expect(created).toEqual([at(1)]);
  });

  it("packMany: commits the logs that wait before it opens a named pipe", () => {
    const store = tempStore();
    const pipe = join(tempFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    /** How many packs there are when the log is opened. */
    let count: number | undefined;
    const open = (): number => {
      count = fs.readdirSync(join(store.root, "packs")).length;
      return fs.openSync("/dev/null", "r");
    };
    packLogs(store, [inMemory(1), { file: pipe, open }], {}, () => undefined);
    expect(count).toBe(1);
  });

  it("packMany: leaves nothing of a log that fails after its sub-agent was read", () => {
    const store = tempStore();
    const folder = tempFolder();
    const session = { file: join(folder, writeSession(folder)) };
    const failing = { ...session, options: { prompt: "not needed" } };
    expect(reported(store, [inMemory(1), failing, inMemory(2)])).toEqual([
      `0 ${at(1)}`,
      "1 usage",
      `2 ${at(2)}`,
    ]);
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(2);
    expect(verify(store, []).exit).toBe(0);
  });

  it("packMany: seals a sub-agent's run in full, and as new, for a log that follows one that failed", () => {
    const store = tempStore();
    const folder = tempFolder();
    const session = { file: join(folder, writeSession(folder)) };
    const results: PackResult[] = [];
    packMany(store, [inMemory(1), { ...session, options: { prompt: "not needed" } }, session], {
      onResult: (some) => results.push(...some),
      onError: () => undefined,
    });
    expect(results[1]).toMatchObject({ new: true, packs: [{ new: true }] });
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(3);
    expect(verify(store, []).exit).toBe(0);
  });

  it("packMany: seals the run of a sub-agent whose session holds nothing else", () => {
    const store = tempStore();
    const folder = tempFolder();
    const file = join(folder, writeSession(folder));
    fs.writeFileSync(file, lines({ type: "mode", mode: "normal", sessionId }));
    const [result] = packAll(store, { file });
    expect(result).toMatchObject({ counts: { prompts: 0, steps: 0 }, packs: [{ new: true }] });
  });

  it("packMany: makes one pack of an agent's log without times that is there twice", () => {
    const store = tempStore();
    const records = transcript().map((record) => ({ ...record, timestamp: undefined }));
    const log = { bytes: Buffer.from(lines(...records)), folder: tempFolder() };
    const other = { bytes: Buffer.from(lines(...records.slice(0, 2))), folder: tempFolder() };
    const results: PackResult[] = [];
    const inputs = [log, other, log].map((input, second) => ({ ...input, options: { at: at(second) } }));
    packMany(store, inputs, { onResult: (some) => results.push(...some) });
    expect(results.map((result) => [result.created, result.new])).toEqual([
      [at(0), true],
      [at(1), true],
      [at(0), false],
    ]);
  });

  it("packMany masks secrets in the errors that it reports", () => {
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
    const errors: CtxError[] = [];
    packMany(tempStore(), [inMemory(1, { [secret]: 1 })], { onError: (e) => errors.push(e) });
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors[0]?.problems)).not.toContain(secret);
    expect(JSON.stringify(errors[0]?.problems)).toContain("[REDACTED:github-token");
  });

  it("packMany applies the options of a log to that log alone", () => {
    const store = tempStore();
    const [one, two] = [inMemory(1), { ...inMemory(2), options: { created: at(50) } }];
    expect(reported(store, [one, two])).toEqual([`0 ${at(1)}`, `1 ${at(50)}`]);
    expect(() => packMany(store, [{ ...one, options: { sidecars: true } as object }])).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });

  it("packMany packs a draft together with the run that follows, and removes it when it is durable", () => {
    const store = tempStore();
    pack(store, inMemory(1) as { bytes: Buffer; folder: string });
    setTag(store, "base");
    const folder = join(tempFolder(), "draft");
    fork(store, "base", { folder, set: ["model.identifier=another"] });
    const present: boolean[] = [];
    const inputs = [{ file: folder, options: { remove: true } }, inMemory(2)];
    packMany(store, inputs, { onResult: () => present.push(fs.existsSync(folder)) });
    expect(present).toEqual([false, false]);
    expect(fs.readdirSync(join(store.root, "packs")).length).toBe(3);
  });
});

describe("packAll", () => {
  it("packAll packs the log of an agent from memory", () => {
    const bytes = Buffer.from(lines(...transcript()));
    const before = Buffer.from(bytes);
    const [result] = packAll(tempStore(), { bytes, folder: tempFolder() });
    expect(result).toMatchObject({ format: "claude-code", source: "-" });
    expect(bytes.equals(before)).toBe(true);
  });

  it("packAll leaves the bytes of a log in memory unchanged", () => {
    const bytes = Buffer.from(json(smallLog()));
    const before = Buffer.from(bytes);
    packAll(tempStore(), { bytes, folder: tempFolder() });
    expect(bytes.equals(before)).toBe(true);
  });
});
