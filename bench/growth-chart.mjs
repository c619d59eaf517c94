// Draws how times grow as one SVG: both axes by powers of ten, a line for each command with its name at its
// end. It has colours for a light and a dark page.

/** @typedef {import("./growth.mjs").Growth} Growth */

/** On white, and on black: a step of the same hue. */
const colours = [
  ["#0b6bcb", "#6cb6ff"],
  ["#c0392b", "#ff8f80"],
  ["#1a7f37", "#5fd27a"],
  ["#8a5a00", "#e3b341"],
  ["#7b3fc4", "#c6a0ff"],
  ["#00707a", "#4fd1d9"],
  ["#b0307a", "#ff8fc7"],
  ["#5b6470", "#a9b4c0"],
  ["#4b6b00", "#b5d35a"],
];

const plot = { width: 300, height: 400, top: 56, left: 62 };
const labels = { width: 118, gap: 26, apart: 15 };
const panel = plot.left + plot.width + labels.gap + labels.width;
const height = plot.top + plot.height + 52;

/** @param {readonly Growth[]} growths */
export function renderChart(growths) {
  const times = growths.flatMap(({ lines }) => lines.flatMap(({ times }) => times));
  const decades = {
    low: Math.floor(Math.log10(Math.min(...times))),
    high: Math.max(Math.ceil(Math.log10(Math.max(...times))), Math.floor(Math.log10(Math.min(...times))) + 1),
  };
  const width = panel * growths.length;
  const panels = growths.map((growth, at) => renderPanel(growth, decades, at * panel));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Time of each command by number of packs and of steps">
<style>
${style()}
</style>
<rect class="page" width="${width}" height="${height}" rx="8"/>
${panels.join("\n")}
</svg>
`;
}

/** Returns the colours of a page. @param {0 | 1} dark @param {Record<"page" | "text" | "faint" | "rule", string>} colour */
function rules(dark, { page, text, faint, rule }) {
  return [
    `.page { fill: ${page} }`,
    `.title, .axis { fill: ${text} }`,
    `.tick, .work-name { fill: ${faint} }`,
    `.rule { stroke: ${rule} }`,
    `.work { stroke: ${faint} }`,
    ...colours.map((pair, at) => `.c${at} { color: ${pair[dark]} }`),
  ].join("\n");
}

function style() {
  return `text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
.title { font-size: 14px; font-weight: 600 }
.tick, .work-name { font-size: 11px }
.work-name { font-style: italic }
.rule, .work { stroke-width: 1 }
.work { stroke-dasharray: 3 4 }
.line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round }
.leader { fill: none; stroke: currentColor; opacity: 0.6 }
.dot, .name { fill: currentColor }
${rules(0, { page: "#ffffff", text: "#1f2328", faint: "#656d76", rule: "#e4e8ec" })}
@media (prefers-color-scheme: dark) {
${rules(1, { page: "#0d1117", text: "#e6edf3", faint: "#8b949e", rule: "#262c34" })}
}`;
}

/** @param {Growth} growth @param {{ low: number, high: number }} decades of milliseconds @param {number} left */
function renderPanel({ what, sizes, lines }, { low, high }, left) {
  const start = left + plot.left;
  const bottom = plot.top + plot.height;
  const [first, last] = [Math.log10(sizes[0]), Math.log10(sizes[sizes.length - 1])];
  const x = (/** @type {number} */ size) =>
    start + (plot.width * (Math.log10(size) - first)) / Math.max(last - first, 1);
  const y = (/** @type {number} */ time) => bottom - (plot.height * (Math.log10(time) - low)) / (high - low);
  const end = x(sizes[sizes.length - 1]);
  const powers = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  const heights = spread(
    lines.map(({ times }) => y(times[times.length - 1])),
    { apart: labels.apart, from: plot.top, to: bottom },
  );
  return [
    text("title", start, plot.top - 24, what === "packs" ? "by packs in the store" : "by steps of the run"),
    ...powers.flatMap((power) => [
      `<line class="rule" x1="${start}" y1="${round(y(power))}" x2="${end}" y2="${round(y(power))}"/>`,
      text("tick", start - 8, y(power) + 4, duration(power), "end"),
    ]),
    ...sizes.flatMap((size) => [
      `<line class="rule" x1="${round(x(size))}" y1="${plot.top}" x2="${round(x(size))}" y2="${bottom}"/>`,
      text("tick", x(size), bottom + 18, size.toLocaleString("en"), "middle"),
    ]),
    text("axis", (start + end) / 2, bottom + 38, what, "middle"),
    ...asMuchAsTheWork(x, y, sizes, { low, high }),
    ...lines.flatMap(({ name, times }, at) => {
      const points = times.map((time, index) => [round(x(sizes[index])), round(y(time))]);
      const [lastX, lastY] = points[points.length - 1];
      const height = round(heights[at]);
      return [
        `<g class="c${at % colours.length}">`,
        `<polyline class="line" points="${points.map((point) => point.join(",")).join(" ")}"/>`,
        ...points.map(([cx, cy]) => `<circle class="dot" cx="${cx}" cy="${cy}" r="2.5"/>`),
        `<path class="leader" d="M${lastX + 4} ${lastY} L${end + labels.gap - 4} ${height}"/>`,
        text("name", end + labels.gap, height + 4, name),
        "</g>",
      ];
    }),
  ].join("\n");
}

/** Returns the slope of a time that grows with the work. @param {(size: number) => number} x @param {(time: number) => number} y @param {readonly number[]} sizes @param {{ low: number, high: number }} decades */
function asMuchAsTheWork(x, y, sizes, { low, high }) {
  const to = sizes[sizes.length - 1];
  const rise = Math.min(Math.log10(to / sizes[0]), high - low);
  const from = to / 10 ** rise;
  const [x1, y1, x2, y2] = [x(from), y(10 ** low), x(to), y(10 ** (low + rise))].map(round);
  const turn = round((Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI);
  const [middleX, middleY] = [round(x1 + (x2 - x1) * 0.66), round(y1 + (y2 - y1) * 0.66 - 11)];
  return [
    `<line class="work" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`,
    `<text class="work-name" transform="translate(${middleX} ${middleY}) rotate(${turn})">in step with the work</text>`,
  ];
}

/**
 * Positions as near as possible to the wanted ones, in their order, none closer to another than `apart`.
 * @param {readonly number[]} wanted
 * @param {{ apart: number, from: number, to: number }} room
 * @returns {number[]}
 */
export function spread(wanted, { apart, from, to }) {
  const order = wanted.map((_, at) => at).sort((one, other) => wanted[one] - wanted[other]);
  const lowest = Math.max(to, from + (order.length - 1) * apart);
  /** Neighbours that touch, moved as one. @type {{ members: number[], sum: number }[]} */
  const groups = [];
  const startOf = (/** @type {{ members: number[], sum: number }} */ { members, sum }) => {
    const length = (members.length - 1) * apart;
    return Math.min(Math.max(sum / members.length - length / 2, from), lowest - length);
  };
  for (const at of order) {
    let group = { members: [at], sum: wanted[at] };
    for (;;) {
      const before = groups.at(-1);
      if (before === undefined || startOf(before) + before.members.length * apart <= startOf(group)) break;
      groups.pop();
      group = { members: [...before.members, ...group.members], sum: before.sum + group.sum };
    }
    groups.push(group);
  }
  /** @type {number[]} */
  const positions = wanted.map(() => 0);
  for (const group of groups)
    for (const [index, at] of group.members.entries()) positions[at] = startOf(group) + index * apart;
  return positions;
}

/** @param {string} kind @param {number} x @param {number} y @param {string} content @param {"start" | "middle" | "end"} [anchor] */
function text(kind, x, y, content, anchor = "start") {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped}</text>`;
}

/** @param {number} milliseconds a power of ten */
function duration(milliseconds) {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toLocaleString("en")} s`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
