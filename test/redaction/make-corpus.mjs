// Why: makes corpus.json, on which the masking rules are measured. Nobody can review 600 strings; this can be
// read. `node make-corpus.mjs` writes the file, `--print` writes it to standard output. See README.md.

import { writeFileSync } from "node:fs";
import { kinds } from "./credentials.mjs";
import { lookalikes } from "./lookalikes.mjs";
import { random } from "./random.mjs";
import { asFile, shapes } from "./shapes.mjs";

const EACH = 300;

/** Returns how many shapes there are to choose from; above 25 it makes no difference. */
const choices = (one) => Math.min(one.fitting.length, 25);

/** Gives each material one of the shapes that fit it: always the one that was used least so far. */
function spread(materials) {
  const used = new Map(shapes.map((shape) => [shape, 0]));
  const order = materials.map((material, i) => {
    const fitting = shapes.filter((shape) => !shape.fits || shape.fits(material));
    return { i, fitting, turn: random(`turn ${material.kind} ${i}`).int(1e9) };
  });
  // Those with few choices first, or the shapes that they need would be taken by others.
  order.sort((a, b) => choices(a) - choices(b) || a.turn - b.turn);
  const chosen = [];
  for (const { i, fitting } of order) {
    const open = fitting.filter((shape) => used.get(shape) < (shape.most ?? EACH));
    const least = Math.min(...open.map((shape) => used.get(shape)));
    const candidates = open.filter((shape) => used.get(shape) === least);
    const shape = random(`shape ${materials[i].kind} ${i}`).pick(candidates);
    used.set(shape, least + 1);
    chosen[i] = shape;
  }
  return chosen;
}

/** Returns the material of a planted case: what is secret, and the file that it would stand in. */
function plant(kind, i) {
  const r = random(`planted ${kind.kind} ${i}`);
  const made = kind.make(r, i);
  if (kind.form === "block") return { kind: kind.kind, form: kind.form, ...made };
  const { carrier, secrets, why } = typeof made === "string" ? { carrier: made, secrets: [made] } : made;
  const { bare, git, npm, header } = kind;
  const name = Array.isArray(kind.name) ? kind.name[i % kind.name.length] : kind.name;
  const c = { kind: kind.kind, form: kind.form, name, carrier, secrets, bare, git, npm, header };
  return { ...c, ...asFile(c, r), ...(why ? { why } : {}) };
}

function planted() {
  return kinds.flatMap((kind) => Array.from({ length: kind.n }, (_, i) => plant(kind, i)));
}

function harmless() {
  return lookalikes.flatMap(({ kind, why, path, texts }) =>
    texts(random(`harmless ${kind}`)).map((text) => ({
      kind,
      form: "block",
      harmless: true,
      path: path ?? "notes.txt",
      // A text has 20 bytes at least.
      lines: (text.length < 20 ? `${text}\n# see docs/setup.md` : text).split("\n"),
      secrets: [],
      why,
    })),
  );
}

function cases(materials, prefix) {
  if (materials.length !== EACH) throw new Error(`${prefix}: ${materials.length} cases, not ${EACH}`);
  const chosen = spread(materials);
  return materials.map((material, i) => {
    const id = `${prefix}-${String(i + 1).padStart(3, "0")}`;
    const { text, value, secrets } = chosen[i].make(material, random(`text ${id}`));
    return {
      id,
      kind: material.kind,
      harmless: material.harmless === true,
      shape: chosen[i].shape,
      ...(value === undefined ? { text } : { value }),
      secrets,
      ...(material.why ? { why: material.why } : {}),
    };
  });
}

/** JSON as the formatter of this project leaves it: objects on many lines, arrays on one where they fit. */
function print(value, indent = "", lead = 0) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([key, item]) => {
      const name = `${inner}${JSON.stringify(key)}: `;
      return name + print(item, inner, name.length);
    });
    return entries.length ? `{\n${entries.join(",\n")}\n${indent}}` : "{}";
  }
  const items = value.map((item) => print(item, inner));
  const line = `[${items.join(", ")}]`;
  if (!line.includes("\n") && lead + line.length <= 109) return line;
  return `[\n${items.map((item) => inner + item).join(",\n")}\n${indent}]`;
}

const corpus = [...cases(planted(), "planted"), ...cases(harmless(), "harmless")];
const json = `${print(corpus)}\n`;
if (process.argv.includes("--print")) process.stdout.write(json);
else writeFileSync(new URL("corpus.json", import.meta.url), json);
