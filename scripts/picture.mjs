// The picture of the README, for light and dark pages: commands run on the example sessions, and what they
// print turned into SVG. `npm run docs` draws it again; with a folder as its argument this script draws it
// there, which a test compares.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeExampleHome } from "./example-home.mjs";

const root = join(fileURLToPath(import.meta.url), "../..");
const columns = 100;

/**
 * `run` is what a terminal would make of `type`: in a pipe, `ctx diff` prints JSON unless --human is set.
 */
const screens = [
  { type: "ctx discover" },
  {
    type: "ctx diff 7c1e9a52 b25f03d4 --only tool,reasoning",
    run: "ctx diff 7c1e9a52 b25f03d4 --only tool,reasoning --human",
  },
];

const font = { size: 13, width: 7.8, line: 18 };
const margin = { side: 18, top: 52, bottom: 24 };

/** The colours of GitHub's light and dark pages, by the number that selects them in an escape sequence. */
const themes = {
  light: {
    back: "#ffffff",
    bar: "#f6f8fa",
    edge: "#d1d9e0",
    text: "#1f2328",
    faint: "#59636e",
    colours: { 31: "#cf222e", 32: "#116329", 33: "#8a4600", 34: "#0550ae", 35: "#8250df", 36: "#0f6f76" },
  },
  dark: {
    back: "#0d1117",
    bar: "#151b23",
    edge: "#3d444d",
    text: "#f0f6fc",
    faint: "#9198a1",
    colours: { 31: "#ff7b72", 32: "#3fb950", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#56d4dd" },
  },
};

const [folder = join(root, "docs/images")] = process.argv.slice(2);
const lines = screenLines();
mkdirSync(folder, { recursive: true });
for (const [name, theme] of Object.entries(themes))
  writeFileSync(join(folder, `sessions-${name}.svg`), draw(lines, theme));

/** Returns the lines of the terminal, with their escape sequences. */
function screenLines() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ctx-picture-")));
  try {
    const tour = join(home, "tour");
    cpSync(join(root, "examples"), tour, { recursive: true });
    makeExampleHome(home);
    return screens
      .flatMap(({ type, run = type }) => [
        `\u001b[2m$\u001b[22m \u001b[1m${type}\u001b[22m`,
        ...print(run, { home, tour }).trimEnd().split("\n"),
        "",
      ])
      .slice(0, -1);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function print(line, { home, tour }) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist/ctx.cjs"), ...line.split(" ").slice(1)],
    {
      cwd: tour,
      encoding: "utf8",
      // No settings of the user's, so that every machine draws the same.
      env: { PATH: process.env.PATH, HOME: home, TZ: "UTC", FORCE_COLOR: "1", COLUMNS: String(columns) },
    },
  );
  if (status !== 0) throw new Error(`${line} exits with ${status}: ${stderr}`);
  return stdout.replaceAll(home, "/home/you");
}

function draw(lines, theme) {
  const width = Math.ceil(columns * font.width + 2 * margin.side);
  const height = margin.top + (lines.length - 1) * font.line + margin.bottom;
  const drawn = lines.map((line, at) => drawLine(line, margin.top + at * font.line, theme)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escape(`A terminal: ${screens.map(({ type }) => type).join(", ")}`)}</title>
<style>text{font:${font.size}px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre;fill:${theme.text}}.b{font-weight:700}.f{fill:${theme.faint}}${Object.entries(
    theme.colours,
  )
    .map(([code, colour]) => `.c${code}{fill:${colour}}`)
    .join("")}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${theme.back}" stroke="${theme.edge}"/>
<path d="M.5 31.5V10a9.5 9.5 0 0 1 9.5-9.5H${width - 10}a9.5 9.5 0 0 1 9.5 9.5V31.5Z" fill="${theme.bar}" stroke="${theme.edge}"/>
${[0, 1, 2].map((at) => `<circle cx="${20 + at * 18}" cy="16" r="5" fill="${theme.edge}"/>`).join("")}
${drawn}</svg>
`;
}

/**
 * Returns a text for each run of equal style, at its own column and as wide as its columns, whatever font a
 * reader has.
 */
function drawLine(line, y, theme) {
  let classes = new Set();
  let column = 0;
  let drawn = "";
  for (const [, code, text] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code !== undefined) classes = restyle(classes, Number(code), theme);
    for (const [piece] of (text ?? "").matchAll(/ {2,}|(?:(?! {2}).)+/g)) {
      if (piece.trim() !== "") drawn += drawPiece(piece, { column, y, classes });
      column += piece.length;
    }
  }
  return drawn;
}

function drawPiece(piece, { column, y, classes }) {
  const x = round(margin.side + column * font.width);
  const style = classes.size === 0 ? "" : ` class="${[...classes].join(" ")}"`;
  return `<text x="${x}" y="${y}" textLength="${round(piece.length * font.width)}"${style}>${escape(piece)}</text>\n`;
}

function restyle(classes, code, theme) {
  if (code in theme.colours)
    return new Set([...classes].filter((name) => !/^c\d/.test(name))).add(`c${code}`);
  if (code === 1) return new Set(classes).add("b");
  if (code === 2) return new Set(classes).add("f");
  if (code === 22) return new Set([...classes].filter((name) => name !== "b" && name !== "f"));
  if (code === 39) return new Set([...classes].filter((name) => !/^c\d/.test(name)));
  if (code === 0) return new Set();
  throw new Error(`no style for the escape sequence ${code}`);
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(number) {
  return Number(number.toFixed(2));
}
