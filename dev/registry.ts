// A real registry on this machine, with a storage of its own, for as long as a suite needs it.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "./endings.js";
import { tempFolder } from "./folders.js";
import type { Need } from "./needs.js";

export const openssl: Need = {
  name: "openssl (apt-get install openssl)",
  isThere: () => spawnSync("openssl", ["version"], { stdio: "ignore" }).status === 0,
};

/** Returns a self-signed certificate, and its key. `more`: further arguments for openssl. */
export function makeCertificate(name: string, ...more: string[]): { certificate: string; key: string } {
  const folder = tempFolder();
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const about = ["-keyout", key, "-out", certificate, "-subj", `/CN=${name}`, ...more];
  execFileSync("openssl", ["req", ...kind, ...about], { stdio: "ignore" });
  return { certificate, key };
}

export interface RunningRegistry {
  port: number;
  /** `127.0.0.1:<port>` */
  host: string;
  storage: string;
  stop(): Promise<void>;
}

export interface RegistrySettings {
  /** Lines for the `auth:` part of its settings. */
  auth?: string;
  /** A certificate and its key. */
  tls?: { certificate: string; key: string };
  /** More lines. */
  more?: string;
  env?: Record<string, string>;
}

const running: RunningRegistry[] = [];

atEnd(async () => {
  for (const registry of running.splice(0)) await registry.stop();
});

export async function startRegistry(settings: RegistrySettings = {}): Promise<RunningRegistry> {
  const folder = tempFolder();
  const storage = join(folder, "storage");
  fs.mkdirSync(storage);
  const { auth, tls, more } = settings;
  const lines = [
    "version: 0.1",
    "log: {level: info}",
    `storage: {filesystem: {rootdirectory: ${storage}}, delete: {enabled: true}}`,
    "http:",
    "  addr: 127.0.0.1:0",
    ...(tls === undefined ? [] : ["  tls:", `    certificate: ${tls.certificate}`, `    key: ${tls.key}`]),
    ...(auth === undefined ? [] : ["auth:", auth]),
    ...(more === undefined ? [] : [more]),
  ];
  fs.writeFileSync(join(folder, "c.yml"), `${lines.join("\n")}\n`);
  // Into a file: the registry blocks once a pipe is full.
  const log = join(folder, "log");
  const descriptor = fs.openSync(log, "w");
  const child = spawn("docker-registry", ["serve", join(folder, "c.yml")], {
    stdio: ["ignore", descriptor, descriptor],
    env: { PATH: process.env["PATH"], OTEL_TRACES_EXPORTER: "none", ...settings.env },
  });
  fs.closeSync(descriptor);
  const port = await portOf(child, log);
  const registry = { port, host: `127.0.0.1:${port}`, storage, stop: () => stop(child) };
  running.push(registry);
  return registry;
}

async function portOf(child: ChildProcess, log: string): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const text = fs.readFileSync(log, "utf8");
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null) break;
    await pause(20);
  }
  throw new Error(`docker-registry does not listen: ${fs.readFileSync(log, "utf8")}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** Returns the file of a blob in a registry's storage. */
export function blobFile({ storage }: RunningRegistry, hex: string): string {
  return join(storage, "docker/registry/v2/blobs/sha256", hex.slice(0, 2), hex, "data");
}
