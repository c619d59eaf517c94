// One bit is flipped in each byte of a small store, one at a time: `ctx verify` finds each, and says what it is about; no
// command does anything but answer or refuse in words. Run without starting a program, thousands of times.
import * as fs from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CtxError } from "../../src/base/errors.js";
import type { VerifyResult } from "../../src/model/verification.js";
import { cat } from "../../src/ops/cat.js";
import { diff } from "../../src/ops/diff.js";
import { log } from "../../src/ops/log.js";
import { show } from "../../src/ops/show.js";
import { verify } from "../../src/ops/verify.js";
import { Store } from "../../src/store/store.js";
import { cli } from "../support/cli.js";
import { packed, reportLog, reportStore, reportText, sha256 } from "../support/provenance.js";

/** How many bytes of a file are tried; of a longer one, evenly spread. */
const most = 2000;

interface Small {
  folder: string;
  root: string;
  /** Two packs, the second made from the first. */
  first: string;
  second: string;
}

let small: Small;
/** Every file of the store that is put to the test. */
let files: string[];

beforeAll(async () => {
  const { folder, root, hex } = await reportStore();
  const second = await packed(
    folder,
    reportLog({
      parent: `sha256:${hex}`,
      created: "2026-03-01T00:00:00Z",
      system_prompt: "You are terse, and number two.",
    }),
    "--no-sidecars",
  );
  await cli(["tag", "good", hex], { folder });
  small = { folder, root, first: hex, second };
  files = ["objects", "packs", "refs", "config.json"].flatMap((name) => filesIn(join(root, name)));
  for (const file of files) fs.chmodSync(file, 0o644);
});

function filesIn(path: string): string[] {
  if (fs.statSync(path).isFile()) return [path];
  return fs
    .readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}

/** The positions in a file at which a bit is flipped. */
function positions(size: number): number[] {
  if (size <= most) return Array.from({ length: size }, (_, at) => at);
  return Array.from({ length: most }, (_, at) => Math.floor((at * (size - 1)) / (most - 1)));
}

/** Runs `look` with each bit flipped, and puts the file back. */
function withFlips(file: string, look: (at: number) => void): number {
  const good = fs.readFileSync(file);
  const places = positions(good.length);
  try {
    for (const at of places) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ (1 << (at % 8));
      fs.writeFileSync(file, bad);
      look(at);
    }
  } finally {
    fs.writeFileSync(file, good);
  }
  return places.length;
}

/** The answer, or the error that it was refused with; anything else is a crash. */
function attempt<T>(work: (store: Store) => T): T | CtxError {
  try {
    return work(Store.open(small.root));
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
}

/** Objects that a pack needs, by their own reading of the good store. */
function needs(root: string, hex: string): string[] {
  const text = fs.readFileSync(join(root, "objects", hex.slice(0, 2), hex.slice(2)), "utf8");
  const { parent: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return [...JSON.stringify(rest).matchAll(/sha256:([0-9a-f]{64})/g)].map(([, name]) => name as string);
}

/** What `verify` must say of a damaged file: what the fault is about, and which packs lose by it; undefined if nothing. */
function expected(name: string): { about: string; packs: string[] } | undefined {
  const { first, second, root } = small;
  // Local, and only a convenience: whatever it holds, `latest` is then the first line of `ctx log`.
  if (name === "refs/latest") return undefined;
  if (name === "refs/tags/good") return { about: "tag good", packs: [] };
  const hex = name.replace(/^(?:objects|packs)/, "").replaceAll("/", "");
  if (hex === first || hex === second) return { about: `ctx://${hex}`, packs: [`sha256:${hex}`] };
  const losers = [first, second].filter((pack) => needs(root, pack).includes(hex));
  return { about: `sha256:${hex}`, packs: losers.map((pack) => `sha256:${pack}`).sort() };
}

describe("one bit flipped", () => {
  it("in each byte of each file is found by verify, and put down to what it is in", () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const file of files) {
      const name = relative(small.root, file);
      const right = name === "config.json" ? undefined : expected(name);
      tried += withFlips(file, (at) => {
        const where = `${name} byte ${at}`;
        const found = attempt((store) => verify(store, []));
        if (name === "config.json") {
          // Without a sound config.json there is no store to speak of, and that is said.
          if (!(found instanceof CtxError) || !found.message.includes(".ctx"))
            wrong.push(`${where}: not refused`);
          return;
        }
        if (found instanceof CtxError) return void wrong.push(`${where}: ${found.message}`);
        const [target] = found.targets;
        const faults = target?.faults.map(({ about, packs }) => ({ about, packs: [...packs].sort() }));
        const seen = JSON.stringify({ exit: found.exit, faults });
        const wanted = JSON.stringify({
          exit: right === undefined ? 0 : 1,
          faults: right === undefined ? [] : [right],
        });
        if (seen !== wanted) wrong.push(`${where}: ${seen}, not ${wanted}`);
      });
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(tried).toBeGreaterThan(2500);
    expect((attempt((store) => verify(store, [])) as VerifyResult).exit).toBe(0);
  });

  it("in anything that a file or a pack rests on is found by verify of that", () => {
    const wrong: string[] = [];
    const { first, second, root, folder } = small;
    const basis = (hex: string): Set<string> =>
      new Set(
        [hex, ...needs(root, hex)]
          .map((name) => `objects/${name.slice(0, 2)}/${name.slice(2)}`)
          .concat(`packs/${hex}`),
      );
    const [ofFirst, ofSecond] = [basis(first), new Set([...basis(first), ...basis(second)])];
    for (const file of files.filter((each) => !each.endsWith("config.json"))) {
      const name = relative(root, file);
      withFlips(file, (at) => {
        if (at % 3 !== 0) return;
        const found = attempt((store) => verify(store, ["report.md", first, second], { folder }));
        if (found instanceof CtxError) return void wrong.push(`${name} byte ${at}: ${found.message}`);
        const exits = found.targets.map(({ result }) => (result === "verified" ? 0 : 1));
        const right = [ofFirst, ofFirst, ofSecond].map((needed) => (needed.has(name) ? 1 : 0));
        if (String(exits) !== String(right))
          wrong.push(`${name} byte ${at}: ${exits.join()}, not ${right.join()}`);
      });
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it("in each byte of the file or its sidecar is never taken for proof", () => {
    const wrong: string[] = [];
    for (const name of ["report.md", "report.md.ctx.json"])
      withFlips(join(small.folder, name), (at) => {
        const found = attempt((store) => verify(store, ["report.md"], { folder: small.folder }));
        if (found instanceof CtxError) wrong.push(`${name} byte ${at}: ${found.message}`);
        else if (found.exit === 0) wrong.push(`${name} byte ${at}: proven all the same`);
      });
    // White space between the fields means nothing, and neither does the name of a field that nobody asks for.
    const sidecar = fs.readFileSync(join(small.folder, "report.md.ctx.json"), "latin1");
    const harmless = wrong.filter((text) => {
      const [, at] = /json byte (\d+): proven/.exec(text) ?? [];
      return at !== undefined && /\s/.test(sidecar[Number(at)] ?? "");
    });
    expect(wrong.filter((text) => !harmless.includes(text))).toEqual([]);
  });

  it("anywhere crashes no command", () => {
    const { first, second } = small;
    const blob = sha256(reportText);
    const crashes: string[] = [];
    let tried = 0;
    for (const file of files)
      withFlips(file, (at) => {
        if (at % 7 !== 0) return;
        tried++;
        // What was known of the packs before must not hide it.
        if (at % 2 === 0) fs.rmSync(join(small.root, "cache"), { recursive: true, force: true });
        const commands: Record<string, (store: Store) => unknown> = {
          show: (store) => show(store, "latest"),
          "show first": (store) => show(store, first),
          log: (store) => log(store),
          diff: (store) => diff(store, first, second),
          cat: (store) => cat(store, blob).pieces(() => undefined),
          "cat pack": (store) => cat(store, second).pieces(() => undefined),
          verify: (store) =>
            verify(store, ["good", "latest~1", "report.md"], { folder: small.folder, lines: true }),
        };
        for (const [name, command] of Object.entries(commands))
          try {
            attempt(command);
          } catch (error) {
            crashes.push(`${name} with ${relative(small.root, file)} byte ${at}: ${String(error)}`);
          }
      });
    expect(crashes.slice(0, 20)).toEqual([]);
    expect(tried).toBeGreaterThan(300);
  });
});
