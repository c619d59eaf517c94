// Every command, in a pipe and in a pseudo-terminal, in a store that has every hostile name, text, link and
// size at once: nothing that a terminal would obey may be printed, and nothing outside may change.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Case, Options, Report } from "./case.js";
import { Arena, copyAll, type Heard, type Mode, treeOf } from "./hostile-run.js";
import type { Scene } from "./hostile-pack-scenes.js";
import { forgotten, scenesFor } from "./hostile-scenes.js";
import { makeSurroundings, makeWorse, secret } from "./hostile-store.js";
import { evil, rawIn } from "./hostile-text.js";
import { chance, spread } from "./sample.js";

interface Try {
  scene: Scene;
  mode: Mode;
  /** Whether all packs are sound, so that commands can write. */
  isSound: boolean;
}

/** Number of runs at once. */
const crowd = 3;
const fewTries = 110;

function isJson(text: string): boolean {
  try {
    for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Returns what is wrong with the output of a command. */
function wrongIn({ scene, mode }: Try, { status, stdout, stderr, isOverdue }: Heard): string[] {
  if (isOverdue) return ["hangs"];
  const wrong: string[] = [];
  const text = `${stdout.toString()}${stderr.toString()}`;
  const isRaw = scene.isBytes === true && (mode === "pipe" || scene.args.includes("--raw"));
  if (!isRaw) wrong.push(...rawIn(stdout, mode === "terminal"));
  wrong.push(...rawIn(stderr, mode === "terminal"));
  if (status !== 0 && status !== 1 && status !== 2)
    wrong.push(`ends with status ${status}: ${text.slice(-300)}`);
  if (scene.ends !== undefined && status !== scene.ends)
    wrong.push(`ends with ${status}: ${text.slice(0, 300)}`);
  if (scene.says?.test(text) === false) wrong.push(`does not say ${scene.says}: ${text.slice(0, 300)}`);
  if (/^ +at .*:\d+:\d+|node:internal|has a bug/m.test(text))
    wrong.push(`shows its insides: ${text.slice(-600)}`);
  if (text.includes(secret)) wrong.push("shows what is outside");
  if (mode === "json" && scene.isBytes !== true)
    for (const one of [stdout, stderr])
      if (!isJson(one.toString())) wrong.push(`prints no JSON: ${one.toString().slice(0, 200)}`);
  return wrong;
}

/** Returns a registry with arbitrary answers. */
async function lyingRegistry(): Promise<{ server: Server; address: string }> {
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    artifactType: evil,
    config: { mediaType: evil, digest: `sha256:${evil}`, size: -1, annotations: { [evil]: evil } },
    layers: [{ mediaType: evil, digest: "sha256:../../outside/canary.txt", size: 1e15 }],
    annotations: { [evil]: evil, "org.opencontainers.image.created": evil },
  });
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const tags = [evil, "x", "0".repeat(64), `../${evil}`];
    const [status, body]: [number, string] = path.includes("/tags/list")
      ? [200, JSON.stringify({ name: evil, tags })]
      : path.includes("/manifests/") && request.method === "GET"
        ? [200, manifest]
        : path.includes("/referrers/")
          ? [
              200,
              JSON.stringify({
                schemaVersion: 2,
                manifests: [{ digest: evil, annotations: { [evil]: evil } }],
              }),
            ]
          : [400, JSON.stringify({ errors: [{ code: evil, message: evil, detail: evil }] })];
    request.resume();
    response.writeHead(status, { "content-type": "application/vnd.oci.image.manifest.v1+json" });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `oci://127.0.0.1:${(server.address() as AddressInfo).port}/runs` };
}

function triesOf(scenes: readonly Scene[], { short, seed }: Options): Try[] {
  const all = scenes.flatMap((scene, at): Try[] => {
    const {
      writes,
      among = writes === undefined ? "all" : undefined,
      hasJson = false,
      isOneOfMany = false,
    } = scene;
    const modes: Mode[] = isOneOfMany ? [at % 2 === 0 ? "pipe" : "terminal"] : ["pipe", "terminal"];
    if (hasJson) modes.push("json");
    const stores = among === undefined ? [true, false] : [among === "sound"];
    return stores.flatMap((isSound) => modes.map((mode) => ({ scene, mode, isSound })));
  });
  if (!short) return all;
  // Each of the first in one way; of the others one of each kind, as far as there is time.
  const keys = scenes.filter(({ isKey }) => isKey === true);
  const first = keys.flatMap((scene, at) => {
    const own = all.filter((one) => one.scene === scene);
    return own[at % own.length] as Try;
  });
  const others = all.filter(({ scene }) => scene.isOneOfMany !== true && scene.isKey !== true);
  const kind = ({ scene, mode }: Try): string => `${mode} ${scene.args[0]}`;
  return [...first, ...spread(others, fewTries - first.length, chance(seed), kind)];
}

async function attack(options: Options): Promise<Report> {
  const { scratch } = options;
  const outside = join(scratch, "outside");
  const { server, address } = await lyingRegistry();
  try {
    const sound = await makeSurroundings(join(scratch, "sound"), outside);
    copyAll(sound.folder, join(scratch, "worse"));
    const worse = makeWorse({ ...sound, folder: join(scratch, "worse") });
    const scenes = scenesFor(worse, address);
    const violations = forgotten(scenes);
    const before = treeOf(outside);
    const tries = triesOf(scenes, options);
    let next = 0;
    const worker = async (_: unknown, at: number): Promise<void> => {
      const arena = join(scratch, `arena-${at}`);
      fs.mkdirSync(arena);
      const arenas = {
        sound: new Arena(sound.folder, join(arena, "s")),
        worse: new Arena(worse.folder, join(arena, "w")),
      };
      for (let index = next++; index < tries.length; index = next++) {
        const one = tries[index] as Try;
        if (index % 20 === 0) options.say(`${index} of ${tries.length}`);
        const { args, input = "", writes } = one.scene;
        const { changed, ...heard } = await arenas[one.isSound ? "sound" : "worse"].run(
          args,
          one.mode,
          input,
          writes,
        );
        const wrong = [...wrongIn(one, heard), ...changed.map((path) => `changes ${JSON.stringify(path)}`)];
        const shown = JSON.stringify(args.join(" ").slice(0, 100));
        violations.push(...wrong.map((text) => `${shown} in a ${one.mode}: ${text}`));
      }
    };
    await Promise.all(Array.from({ length: crowd }, worker));
    const after = treeOf(outside);
    for (const path of new Set([...before.keys(), ...after.keys()]))
      if (before.get(path) !== after.get(path)) violations.push(`outside has changed: ${path}`);
    const points = new Set(tries.map(({ scene }) => scene)).size;
    return { points, tries: tries.length, violations };
  } finally {
    server.close();
  }
}

export const hostileCases: Case[] = [
  {
    group: "hostile packs",
    name: "every command, in a pipe and in a terminal",
    needs: ["script", "git", "mkfifo"],
    run: attack,
  },
];
