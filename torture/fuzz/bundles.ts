// Bad bundles: their content is changed, and everything that refers to it is adjusted, so that they are not
// refused by their hashes alone.
import type { Random } from "../../dev/drift/random.js";
import { type Entry, hashOf, type HeaderFields, tar, untar } from "../../dev/bundles.js";
import { Mutator } from "./mutate.js";
import { strangeTexts } from "./strange.js";

/** Returns a well-formed bundle with bad content; undefined for one in which only bytes should be wrong. */
export function bundleOf(seed: Buffer, random: Random): Buffer | undefined {
  if (random.chance(0.25)) return undefined;
  const entries = untar(seed);
  const way = random.between(0, 5);
  if (way === 0) entries.splice(random.between(0, entries.length - 1), random.between(1, 2));
  else if (way === 1) entries.splice(random.between(0, entries.length), 0, random.pick(entries));
  else if (way === 2) {
    const entry = random.pick(entries);
    entry.header = { ...entry.header, ...badHeader(random) };
  } else if (way === 3) random.pick(entries).name = random.pick(strangeTexts).slice(0, 99);
  else {
    const entry = random.pick(entries.filter(({ bytes }) => bytes.length > 0));
    const changed = new Mutator([entry.bytes], random).next();
    if (random.chance(0.15)) entry.bytes = changed;
    else replace(entries, entry, inner(entry, random) ?? changed);
  }
  return tar(entries);
}

/** Returns a layer with a bad tar in it. */
function inner(entry: Entry, random: Random): Buffer | undefined {
  if (entry.bytes.length < 1024 || entry.bytes.toString("latin1", 257, 262) !== "ustar") return undefined;
  const entries = untar(entry.bytes);
  const one = random.pick(entries);
  if (random.chance(0.5)) one.header = { ...one.header, mode: "0000444", ...badHeader(random) };
  else one.bytes = new Mutator([one.bytes], random).next();
  return tar(entries);
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, "0")}\0`;
}

function badHeader(random: Random): HeaderFields {
  return random.pick<HeaderFields>([
    { size: octal(0) },
    { size: octal(random.between(0, 5000)) },
    { size: octal(2 ** 32) },
    { size: "77777777777\0" },
    { size: Buffer.from([0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255]) },
    { size: Buffer.alloc(12, 0xff) },
    { size: "-0000000001\0" },
    { size: "            " },
    { type: random.pick(["1", "2", "3", "5", "6", "L", "K", "x", "g", "S", "\0", "7"]) },
    { type: "2", link: "../../../etc/passwd" },
    { magic: "ustar  \0" },
    { magic: "nothing\0" },
    { prefix: "../../.." },
    { prefix: "/etc" },
    { sum: "000000\0 " },
    { sum: "\xff\xff\xff\xff\xff\xff\xff\xff" },
    { mode: "7777777" },
  ]);
}

/** Replaces the bytes of an entry, and its hash and size wherever they occur. */
function replace(entries: Entry[], entry: Entry, bytes: Buffer): void {
  const [, old] = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(entry.name) ?? [];
  const oldSize = entry.bytes.length;
  entry.bytes = bytes;
  if (old === undefined) return;
  const hex = hashOf(bytes);
  entry.name = `blobs/sha256/${hex}`;
  for (const other of entries) {
    const text = other.bytes.toString("latin1");
    if (other === entry || !text.startsWith("{") || !text.includes(old)) continue;
    const named = text
      .replaceAll(new RegExp(`(sha256:${old}"[^{}]*"size":)${oldSize}\\b`, "g"), `$1${bytes.length}`)
      .replaceAll(old, hex);
    replace(entries, other, Buffer.from(named, "latin1"));
  }
}
