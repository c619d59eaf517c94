// The benchmark's own tools: the picture of how times grow, its page, and the comparison with another
// program.
import * as fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { program, repository, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";

interface Growth {
  what: "packs" | "steps";
  sizes: number[];
  lines: { name: string; times: number[]; slope: number; limit: number; ok: boolean }[];
}

interface Tools {
  renderChart(growths: readonly Growth[]): string;
  spread(wanted: readonly number[], room: { apart: number; from: number; to: number }): number[];
  lineOf(name: string, sizes: readonly number[], rounds: number[][], limit: number): Growth["lines"][number];
  renderReadme(outcomes: readonly object[], growths: readonly Growth[], about: object): string;
  renderJson(outcomes: readonly object[], growths: readonly Growth[], about: object): string;
  rows: readonly { name: string }[];
}

const bench = (name: string) => join(repository, "bench", name);
const sizes = [10, 100, 1000, 10_000, 100_000];
let tools: Tools;
let growths: Growth[];

beforeAll(async () => {
  const names = ["growth-chart.mjs", "growth.mjs", "page.mjs", "report.mjs", "rows.mjs"];
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(bench(name)).href) as Promise<object>),
  );
  tools = Object.assign({}, ...modules) as Tools;
  const line = (name: string, times: number[], limit: number) => tools.lineOf(name, sizes, [times], limit);
  growths = [
    {
      what: "packs",
      sizes,
      lines: [
        line("log -n 20", [40, 40, 41, 41, 41], 0.1),
        line("show <prefix>", [40, 40, 41, 41, 42], 0.1),
        line("status", [40, 40, 40, 41, 40], 0.1),
        line("verify --all", [50, 80, 200, 1500, 30_000], 1.1),
      ],
    },
    { what: "steps", sizes, lines: [line("pack", [60, 80, 200, 1000, 9999], 1.1)] },
  ];
});

type Point = [number, number];

/** Returns how far up the last two points of a line go. */
function rise(line: readonly Point[]): number {
  const [before, last] = line.slice(-2) as [Point, Point];
  return before[1] - last[1];
}

/** Places of all texts of a class. */
function placesOf(svg: string, kind: string): { x: number; y: number; text: string }[] {
  const elements = svg.matchAll(/<text class="([^"]+)" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g);
  return [...elements]
    .filter((match) => match[1] === kind)
    .map((match) => ({ x: Number(match[2]), y: Number(match[3]), text: match[4] as string }));
}

describe("bench: growth", () => {
  it("bench growth: the slope is that between the last two sizes, the median of the rounds", () => {
    const [packs, steps] = growths as [Growth, Growth];
    expect(packs.lines.map(({ slope, ok }) => [Number(slope.toFixed(3)), ok])).toEqual([
      [0, true],
      [0.01, true],
      [-0.011, true],
      [1.301, false],
    ]);
    expect(steps.lines[0]).toMatchObject({ ok: true, limit: 1.1 });
    // A round in which the machine was slow changes neither much.
    const rounds = [
      [1, 2, 20],
      [100, 200, 2000],
      [1, 2, 22],
    ];
    expect(tools.lineOf("diff", [10, 100, 1000], rounds, 1)).toMatchObject({
      times: [1, 2, 22],
      slope: 1,
      ok: true,
    });
  });

  it("bench growth: the chart has a line for each command, through a point for each size", () => {
    const svg = tools.renderChart(growths);
    const lines = [...svg.matchAll(/<polyline class="line" points="([^"]+)"/g)].map((match) =>
      (match[1] as string).split(" ").map((point) => point.split(",").map(Number) as Point),
    );
    expect(lines).toHaveLength(5);
    // Ten times is as far everywhere, to the right and upwards.
    const [all, pack] = lines.slice(3) as [Point[], Point[]];
    const xs = pack.map(([x]) => x);
    expect(xs.slice(1).map((x, at) => x - (xs[at] as number))).toEqual([75, 75, 75, 75]);
    const decade = rise(pack);
    expect(decade).toBeGreaterThan(90);
    expect(rise(all) / decade).toBeCloseTo(1.301, 1);
  });

  it("bench growth: names in the chart are beside the ends of their lines and do not overlap", () => {
    const names = placesOf(tools.renderChart(growths), "name");
    expect(names.map(({ text }) => text)).toEqual([
      "log -n 20",
      "show &lt;prefix&gt;",
      "status",
      "verify --all",
      "pack",
    ]);
    const left = names.filter(({ x }) => x === names[0]?.x).map(({ y }) => y);
    expect(left).toHaveLength(4);
    const sorted = [...left].sort((a, b) => a - b);
    for (const [at, y] of sorted.slice(1).entries()) expect(y - (sorted[at] as number)).toBeGreaterThan(14);
  });

  it("bench growth: labels keep their order and their distance, within their range", () => {
    const room = { apart: 10, from: 0, to: 100 };
    expect(tools.spread([50, 20, 90], room)).toEqual([50, 20, 90]);
    expect(tools.spread([50, 50, 50], room)).toEqual([40, 50, 60]);
    expect(tools.spread([2, 0, 1], room)).toEqual([20, 0, 10]);
    expect(tools.spread([99, 100, 95], room)).toEqual([90, 100, 80]);
    // One group pushes the next.
    expect(tools.spread([50, 52, 58], room)).toEqual([43.3, 53.3, 63.3].map((y) => expect.closeTo(y, 1)));
  });

  it("bench growth: the chart is well-formed, and has colours for a dark page", () => {
    const svg = tools.renderChart(growths);
    const open: string[] = [];
    for (const [, end, name, rest] of svg.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
      if (end === "/") expect(open.pop()).toBe(name);
      else if (!(rest as string).endsWith("/")) open.push(name as string);
    }
    expect(open).toEqual([]);
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
});

const spreadAround = (median: number) => ({ low: median, median, high: median });

const outcome = (name: string, ratio: number, limit: number) => ({
  row: { name, floorName: "a floor", limit, measures: "time", floorDoes: "It does nothing." },
  rounds: 3,
  subject: spreadAround(200 * ratio),
  floor: spreadAround(200),
  ratio: spreadAround(ratio),
  ok: ratio <= limit,
  steady: true,
});

describe("bench: page", () => {
  const about = {
    machine: { cores: 2, cpu: "c", fileSystem: "ext4", kernel: "k", node: "v20", busy: true },
    quick: true,
    memory: undefined,
    leftOut: [{ name: "a third", missing: ["skopeo"] }],
    minutes: 12.4,
    used: { bytes: 20.2e9, files: 1_240_000 },
  };

  it("bench page: names missed limits, skipped rows and the cost of the run, and says that it is provisional", () => {
    const page = tools.renderReadme([outcome("one", 1.5, 2), outcome("two", 2.5, 2)], growths, about);
    expect(page).toContain("1 of 2 limits missed: two (2.50, limit 2).");
    expect(page).toContain("Faster than their work grow: ctx verify --all by packs (1.30, limit 1.1).");
    expect(page).toContain("Not measured here: a third (without skopeo).");
    expect(page).toMatch(/Provisional: measured with few rounds .*, and on a machine that was busy/);
    expect(page).toMatch(/a quick one, took 12 minutes, and at most 21 GB\s+in 1\.2 million files/);
    expect(page).toContain("![The time of each command");
    expect(page).toContain("- **one; two**: It does nothing.");
    expect(page).toContain("ctx show \\<prefix>");
  });

  it("bench page: all figures are in the JSON too", () => {
    const json = JSON.parse(tools.renderJson([outcome("one", 1.5, 2)], growths, about));
    expect(json.results).toMatchObject([{ name: "one", ratio: { median: 1.5 }, limit: 2, ok: true }]);
    expect(json.growth[0]).toMatchObject({ what: "packs", sizes });
    expect(json.growth[0].commands[3]).toMatchObject({
      name: "verify --all",
      times: [50, 80, 200, 1500, 30_000],
      slope: 1.301,
      ok: false,
    });
    expect(json.run).toEqual({ minutes: 12, bytes: 20.2e9, files: 1_240_000 });
  });
});

describe("bench: rows", () => {
  it("bench rows: no two have the same name", () => {
    const names = tools.rows.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(new Set(names).size).toBe(names.length);
  });

  it("bench rows: --only measures one row and leaves the page alone", () => {
    const before = fs.readFileSync(bench("README.md"), "utf8");
    const env = { CTX_BENCH_DIR: tempFolder() };
    const args = [bench("run.mjs"), "--quick", "--only", "ctx --version"];
    const { status, stdout } = run(process.execPath, args, { cwd: repository, env });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ctx --version +node -e 0 +\d\.\d\d +1\.4 /m);
    expect(fs.readFileSync(bench("README.md"), "utf8")).toBe(before);
    expect(fs.readdirSync(env.CTX_BENCH_DIR)).toEqual([]);
  });
});

function compare(...args: string[]) {
  return run(bench("compare"), args, { cwd: repository, env: { CTX_BENCH_DIR: tempFolder() } });
}

// Each runs some 80 programs, and flushes the disk before those that write: that is slow beside other tests.
describe("bench/compare", { timeout: 180_000 }, () => {
  const small = ["--divide", "10000", "--rounds", "1"];
  const jobs = [
    "--version",
    "init",
    "pack, 2 steps of 4 KB",
    "pack, 2 steps of 4 KB",
    "pack, 2 steps of 4 KB",
    "pack, 2 inputs of 1 MB",
    "show, 2 steps",
    "log, 2 packs",
    "diff, 2 steps, 1 % changed",
    "replay, 2 reads",
  ];

  it("bench/compare: every job has a ratio, with a program that knows no more than the reference", () => {
    const { status, stdout } = compare(...small, join(repository, "dev/strict-ctx.mjs"));
    expect(stdout).not.toContain("Not compared");
    expect(status).toBe(0);
    const [head, ...lines] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^job +ours +theirs +ours \/ theirs +spread$/);
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual(jobs);
    for (const line of lines) expect(line).toMatch(/ \d+\.\d ms +\d+\.\d ms +\d+\.\d\d +\d/);
  });

  it("bench/compare: a job that the other program fails is listed with its message, and the rest is measured", () => {
    const other = join(tempFolder(), "other");
    const cases = [
      'diff) echo "unknown command: diff" >&2; echo "more" >&2; exit 1 ;;',
      "show) exit 0 ;;",
      "replay) kill -9 $$ ;;",
    ];
    fs.writeFileSync(
      other,
      `#!/bin/sh\ncase "$1" in\n${cases.join("\n")}\nesac\nexec "${process.execPath}" "${program}" "$@"\n`,
      { mode: 0o755 },
    );
    const { status, stdout } = compare(...small, other);
    expect(status).toBe(1);
    expect(stdout.slice(stdout.indexOf("\n\n")).trim()).toBe(
      [
        "Not compared:",
        "  show, 2 steps: theirs: show printed nothing",
        "  diff, 2 steps, 1 % changed: theirs: diff failed: unknown command: diff",
        "  replay, 2 reads: theirs: replay failed: SIGKILL",
      ].join("\n"),
    );
    expect(stdout).toMatch(/^show, 2 steps +- +- +failed$/m);
    expect(stdout).toMatch(/^log, 2 packs +\d+\.\d ms/m);
  });

  it("bench/compare: bad arguments print the usage, and a program that cannot be started is named", () => {
    for (const args of [[], [program, program], ["--rounds", "0", program], ["--what", program]])
      expect(compare(...args)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("usage: bench/compare"),
      });
    const { status, stderr } = compare(...small, "./not-there");
    expect([status, stderr]).toEqual([2, expect.stringMatching(/not-there cannot be started: .*ENOENT/)]);
  });
});
