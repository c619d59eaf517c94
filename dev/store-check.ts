// What must hold for a store at any moment, whatever happened to its writers. Reads the files itself: it must
// not trust the program that it judges.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { runCtx } from "./processes.js";

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function objectFile(folder: string, hex: string): string {
  return join(folder, ".ctx/objects", hex.slice(0, 2), hex.slice(2));
}

/** Returns names of all objects. */
export function objectNames(folder: string): string[] {
  const objects = join(folder, ".ctx/objects");
  if (!fs.existsSync(objects)) return [];
  return fs
    .readdirSync(objects)
    .flatMap((shelf) => fs.readdirSync(join(objects, shelf)).map((name) => shelf + name));
}

/** Returns files under objects/ whose bytes do not match their name. */
export function tornObjects(folder: string): string[] {
  return objectNames(folder).filter((hex) => {
    const path = objectFile(folder, hex);
    return !fs.lstatSync(path).isFile() || sha256(fs.readFileSync(path)) !== hex;
  });
}

/** Returns the objects of a pack: its manifest, and everything that it refers to. */
export function objectsOf(folder: string, hex: string): string[] {
  const manifest = fs.readFileSync(objectFile(folder, hex), "utf8");
  return [
    hex,
    ...new Set([...manifest.matchAll(/sha256:([0-9a-f]{64})/g)].map(([, name]) => name as string)),
  ];
}

/** Returns what is missing from a pack, or damaged in it. */
export function flawsOf(folder: string, hex: string): string[] {
  if (!fs.existsSync(objectFile(folder, hex))) return [`no manifest ${hex}`];
  const flaws = objectsOf(folder, hex).filter(
    (name) =>
      !fs.existsSync(objectFile(folder, name)) || sha256(fs.readFileSync(objectFile(folder, name))) !== name,
  );
  const entry: unknown = JSON.parse(fs.readFileSync(join(folder, ".ctx/packs", hex), "utf8"));
  if ((entry as { hash?: unknown }).hash !== `sha256:${hex}`)
    flaws.push(`packs/${hex} is not the sealed manifest`);
  return flaws;
}

/** Leftovers of unfinished writers. */
export function leftovers(folder: string): string[] {
  return ["tmp", "locks"].flatMap((name) =>
    fs.readdirSync(join(folder, ".ctx", name)).map((one) => `${name}/${one}`),
  );
}

/** Returns the packs that `ctx log` lists; throws when it fails, or when it calls one of them damaged. */
export async function listed(folder: string): Promise<string[]> {
  const { status, stdout, stderr } = await runCtx(folder, ["log", "--json"]);
  if (status !== 0) throw new Error(`ctx log failed: ${stderr}`);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const entry = JSON.parse(line) as { hash: string; damaged: boolean };
      if (entry.damaged) throw new Error(`ctx log calls ${entry.hash} damaged`);
      return entry.hash.slice("sha256:".length);
    });
}

/** Returns the packs in the output of a command. */
export function reported(stdout: string): string[] {
  return [...stdout.matchAll(/ctx:\/\/([0-9a-f]{64})/g)].map(([, hex]) => hex as string);
}

/**
 * The packs that are listed, and everything that is wrong: torn objects, listed packs with flaws, reported
 * ones not listed.
 */
export async function examine(
  folder: string,
  stdout: string,
): Promise<{ packs: string[]; wrongs: string[] }> {
  // Most of the time there is no pack yet, and the program need not be run.
  const packs = fs.readdirSync(join(folder, ".ctx/packs")).length === 0 ? [] : await listed(folder);
  const wrongs = [
    ...tornObjects(folder).map((hex) => `torn object ${hex}`),
    ...packs.flatMap((hex) => flawsOf(folder, hex).map((flaw) => `listed pack ${hex}: ${flaw}`)),
    ...reported(stdout)
      .filter((hex) => !packs.includes(hex))
      .map((hex) => `reported, but not listed: ${hex}`),
  ];
  return { packs, wrongs };
}
