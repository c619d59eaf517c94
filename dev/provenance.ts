// Stores with a small run and its artifact in them, the results of `ctx verify` on them, and functions to
// forge them.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { VerifiedTarget, VerifyResult } from "../src/results/verify.js";
import { cli } from "./cli.js";
import { tempStore } from "./folders.js";
import { type AnyLog, json } from "./logs.js";
import { reportLog, reportText } from "./report-log.js";

export { reportLog, reportText } from "./report-log.js";

export interface Scene {
  folder: string;
  /** The .ctx folder. */
  root: string;
  /** The pack of the report. */
  hex: string;
}

/** A store with the report's run in it, report.md on disk, and its sidecar. */
export async function reportStore(fields: AnyLog = {}): Promise<Scene> {
  const { folder, root } = tempStore();
  write(folder, "report.md", reportText);
  return { folder, root, hex: await packed(folder, reportLog(fields)) };
}

/** Packs a log, and returns the pack's hash. */
export async function packed(folder: string, log: AnyLog, ...more: string[]): Promise<string> {
  const { status, stdout, stderr } = await cli(["pack", "-", ...more], { folder, input: json(log) });
  expect(status, stderr).toBe(0);
  return stdout.trim().slice("ctx://".length);
}

export function write(folder: string, name: string, content: string | Buffer): string {
  const path = join(folder, name);
  fs.mkdirSync(dirname(path), { recursive: true });
  // Files of a store are read-only: only root could write into one.
  fs.rmSync(path, { force: true });
  fs.writeFileSync(path, content);
  return path;
}

export function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

export function objectIn(root: string, hex: string): string {
  return join(root, "objects", hex.slice(0, 2), hex.slice(2));
}

/** Writes bytes under their own hash, as anyone with a text editor could. */
export function putObject(root: string, content: string | Buffer): string {
  const hex = sha256(content);
  const path = objectIn(root, hex);
  fs.mkdirSync(dirname(path), { recursive: true });
  if (!fs.existsSync(path)) fs.writeFileSync(path, content, { mode: 0o444 });
  return hex;
}

/** Overwrites a file that is read-only. */
export function overwrite(path: string, content: string | Buffer): void {
  fs.rmSync(path, { force: true, recursive: true });
  fs.writeFileSync(path, content);
}

export function manifestOf(root: string, hex: string): AnyLog {
  return JSON.parse(fs.readFileSync(objectIn(root, hex), "utf8")) as AnyLog;
}

/** Returns the sealed copy of a manifest whose keys are in order already. */
export function sealedFrom(manifest: AnyLog, hex: string): string {
  const hash = `sha256:${hex}`;
  const outputs = (manifest["outputs"] as AnyLog[]).map(({ content_ref, name, ...rest }) => ({
    ...(rest["confidence"] === undefined ? {} : { confidence: rest["confidence"] }),
    content_ref,
    context_pack: hash,
    name,
    ...(rest["notes"] === undefined ? {} : { notes: rest["notes"] }),
  }));
  return JSON.stringify({ ...manifest, hash, outputs });
}

/** Returns every claim of a target with its answer. */
export function answers({ claims }: VerifiedTarget): Record<string, string> {
  return Object.fromEntries(claims.map(({ claim, answer }) => [claim, answer]));
}

export interface Verified {
  status: number;
  result: VerifyResult;
  /** The first target, and its claims. */
  target: VerifiedTarget;
  answers: Record<string, string>;
  detail: (claim: string) => string;
}

/** Runs `ctx verify --json`, whose exit status must be the one that it prints. */
export async function verify(folder: string, ...args: string[]): Promise<Verified> {
  const { status, stdout, stderr } = await cli(["verify", "--json", ...args], { folder });
  expect(stdout, stderr).not.toBe("");
  const result = JSON.parse(stdout) as VerifyResult;
  expect(result.exit).toBe(status);
  const target = result.targets[0] as VerifiedTarget;
  return {
    status,
    result,
    target,
    answers: answers(target),
    detail: (claim) => target.claims.find((each) => each.claim === claim)?.detail ?? "",
  };
}

/** Returns the same without one of its fields. */
export function without(fields: AnyLog, name: string): AnyLog {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

/** The sidecar of the report, changed. */
export function editSidecar(folder: string, change: (sidecar: AnyLog) => AnyLog): void {
  const path = join(folder, "report.md.ctx.json");
  const sidecar = JSON.parse(fs.readFileSync(path, "utf8")) as AnyLog;
  fs.writeFileSync(path, JSON.stringify(change(sidecar)));
}
