// The commands that write, each with a small store to write to.
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { tar, untar } from "../dev/bundles.js";
import { repository } from "../dev/built.js";
import { atEnd } from "../dev/endings.js";
import { type AnyLog, json } from "../dev/logs.js";
import { emptyStore, must, packArgs, sceneFolder } from "../dev/scenes.js";
import { atHome, smallRun } from "./small-runs.js";
import type { Scene, Subject } from "./subject.js";

export * from "./user-subjects.js";

/** Returns a store with one pack. */
async function onePack(fields: AnyLog = {}): Promise<{ folder: string; hex: string }> {
  const folder = await emptyStore(smallRun(fields));
  const [hex = ""] = await must(folder, packArgs);
  return { folder, hex };
}

async function add(folder: string, name: string, fields: AnyLog): Promise<string> {
  fs.writeFileSync(join(folder, `${name}.json`), json(smallRun(fields)));
  const [hex = ""] = await must(folder, ["pack", `${name}.json`, "--no-sidecars"]);
  return hex;
}

export const init: Subject = {
  name: "init",
  fresh: async () => ({
    folder: sceneFolder(smallRun()),
    args: ["init"],
    unsure: [".ctx", ".ctx/refs", ".ctx/refs/tags"],
    isUnsureAbove: true,
  }),
  present: async () => ({ folder: await emptyStore(smallRun()), args: ["init"] }),
};

const below = "runs/today";

/** With the folders that lead to it. */
export const initBelow: Subject = {
  name: "init of a folder that is made",
  fresh: async () => ({
    folder: sceneFolder(smallRun()),
    args: ["init", below],
    store: below,
    unsure: ["runs", below, ...[".ctx", ".ctx/refs", ".ctx/refs/tags"].map((name) => `${below}/${name}`)],
    isUnsureAbove: true,
  }),
  present: async () => {
    const folder = sceneFolder(smallRun());
    await must(folder, ["init", below]);
    return { folder, args: ["init", below], store: below };
  },
};

export const pack: Subject = {
  name: "pack",
  fresh: async () => ({ folder: await emptyStore(smallRun()), args: packArgs, words: ["run.json"] }),
};

/** All blobs exist already, but under another pack. */
export const packOfKnown: Subject = {
  name: "pack of contents that are there",
  fresh: async () => {
    const { folder } = await onePack({ created: "2026-02-11T12:00:00Z" });
    fs.rmSync(join(folder, "answer.txt.ctx.json"));
    fs.writeFileSync(join(folder, "run.json"), json(smallRun()));
    return { folder, args: packArgs, words: ["run.json"] };
  },
};

/** A store whose empty folders git dropped. */
export const packIntoClone: Subject = {
  name: "pack into a clone",
  fresh: async () => {
    const folder = await emptyStore(smallRun());
    for (const name of ["packs", "refs", "tmp", "locks"])
      fs.rmSync(join(folder, ".ctx", name), { recursive: true });
    return { folder, args: packArgs, words: ["run.json"] };
  },
};

/** So many blobs that the whole file system is flushed at once. */
export const packOfMany: Subject = {
  name: "pack of many contents",
  fresh: async () => {
    const steps = Array.from({ length: 70 }, (_, at) => ({ type: "reasoning", output: `thought ${at}` }));
    return {
      folder: await emptyStore(smallRun({ steps })),
      args: packArgs,
      words: ["run.json"],
      isVast: true,
    };
  },
};

export const packs: Subject = {
  name: "pack of several logs",
  fresh: async () => {
    const folder = await emptyStore(smallRun());
    fs.writeFileSync(join(folder, "other.json"), json(smallRun({ system_prompt: "You are another." })));
    const args = [...packArgs, "other.json", "--no-sidecars"];
    return { folder, args, words: ["run.json", "other.json"], isSeveral: true };
  },
};

const tagFolders = [".ctx/refs", ".ctx/refs/tags"];

export const tag: Subject = {
  name: "tag",
  fresh: async () => ({
    folder: (await onePack()).folder,
    args: ["tag", "good"],
    words: ["good"],
    unsure: tagFolders,
  }),
};

export const movedTag: Subject = {
  name: "tag --force",
  fresh: async () => {
    const { folder, hex } = await onePack();
    await must(folder, ["tag", "good"]);
    await add(folder, "other", { system_prompt: "You are another." });
    return { folder, args: ["tag", "--force", "good", "latest"], words: ["good", hex], unsure: tagFolders };
  },
};

export const fork: Subject = {
  name: "fork",
  fresh: async () => ({
    folder: (await onePack()).folder,
    args: ["fork", "latest"],
    words: [".md", ".txt", ".out"],
    unsure: [".ctx/drafts"],
  }),
};

export const forkToNew: Subject = {
  name: "fork into a new folder",
  fresh: async () => ({
    folder: (await onePack()).folder,
    args: ["fork", "latest", "try/mine"],
    words: ["try", "mine", ".md", ".txt", ".out"],
    unsure: ["try"],
    isUnsureAbove: true,
  }),
};

export const forkToEmpty: Subject = {
  name: "fork into an empty folder",
  fresh: async () => {
    const { folder } = await onePack();
    fs.mkdirSync(join(folder, "mine"));
    return { folder, args: ["fork", "latest", "mine"], words: ["mine", ".md", ".txt", ".out"] };
  },
};

/** With a time, so that the same command makes the same pack. */
export const forkAndSeal: Subject = {
  name: "fork --seal",
  fresh: async () => {
    const { folder, hex } = await onePack();
    const sets = ["--set", "system_prompt=x", "--set", "created=2026-02-12T09:00:00Z"];
    return { folder, args: ["fork", hex, ...sets, "--seal"] };
  },
};

async function drafted(...options: string[]): Promise<Scene> {
  const { folder, hex } = await onePack();
  await must(folder, ["fork", "latest"]);
  const draft = `.ctx/drafts/${hex.slice(0, 12)}`;
  fs.writeFileSync(join(folder, draft, "system_prompt.md"), "You are edited.\n");
  return { folder, args: ["pack", ...options, draft], words: [".md", ".txt", ".out", draft], draft };
}

export const seal: Subject = { name: "pack of a draft", fresh: () => drafted() };

export const sealAndRemove: Subject = {
  name: "pack --rm of a draft",
  fresh: () => drafted("--rm"),
  // The draft has been sealed before.
  present: async () => {
    const scene = await drafted();
    await must(scene.folder, scene.args);
    return { ...scene, args: ["pack", "--rm", scene.draft as string] };
  },
};

/**
 * Returns a store with two packs, one of them tagged; objects that a tag and a draft name, though they are
 * packs no more; and objects that nothing names. Everything is old.
 */
async function oldStore(): Promise<{ folder: string; doomed: string }> {
  const { folder } = await onePack();
  const ctx = join(folder, ".ctx");
  const own = (name: string): Promise<string> =>
    add(folder, name, {
      system_prompt: `You are ${name}.`,
      prompts: [{ role: "user", content: `Be ${name}.` }],
      outputs: [{ name: `${name}.txt`, content: `of ${name}\n` }],
    });
  const [held, tagged, loose] = [await own("drafted"), await own("tagged"), await own("loose")];
  const doomed = await own("doomed");
  await must(folder, ["tag", "old", tagged]);
  await must(folder, ["tag", "release", doomed]);
  for (const hex of [held, tagged, loose]) fs.rmSync(join(ctx, "packs", hex));
  fs.mkdirSync(join(ctx, "drafts/one"), { recursive: true });
  fs.writeFileSync(join(ctx, "drafts/one/execution.json"), JSON.stringify({ parent: `sha256:${held}` }));
  for (const path of fs.readdirSync(join(ctx, "objects"), { recursive: true }) as string[])
    if (path.length > 2) fs.utimesSync(join(ctx, "objects", path), 1, 1);
  return { folder, doomed };
}

export const gc: Subject = {
  name: "gc",
  fresh: async () => ({ folder: (await oldStore()).folder, args: ["gc", "--grace", "0d"] }),
};

export const rm: Subject = {
  name: "rm",
  fresh: async () => {
    const { folder, doomed } = await oldStore();
    return { folder, args: ["rm", doomed, "--force"], removes: true };
  },
  // Another pack has the same contents.
  present: async () => {
    const { folder, hex } = await onePack();
    await add(folder, "twin", { created: "2026-02-11T12:00:00Z" });
    return { folder, args: ["rm", hex], removes: true };
  },
};

/** A pack with a fork is not removed without --force, whatever cannot be read. */
export const refusedRm: Subject = {
  name: "rm of a parent",
  fresh: async () => {
    const { folder, hex } = await onePack();
    await add(folder, "child", { parent: `sha256:${hex}`, metadata: { child: 1 } });
    return { folder, args: ["rm", hex], removes: true };
  },
};

export const sidecar: Subject = {
  name: "sidecar",
  fresh: async () => {
    const { folder } = await onePack();
    fs.rmSync(join(folder, "answer.txt.ctx.json"));
    return {
      folder,
      isAnswer: true,
      args: ["verify", "--write-sidecar", "answer.txt", "--notes", "by hand"],
      words: ["answer.txt"],
    };
  },
};

/**
 * A bundle of two packs, one with a large blob; in the order of ctx, or in one in which everything has to
 * wait.
 */
async function bundle(isReversed: boolean): Promise<Scene> {
  const maker = await emptyStore(smallRun());
  await must(maker, packArgs);
  await add(maker, "large", { inputs: [{ name: "large.txt", content: "large ".repeat(12_000) }] });
  await must(maker, ["export", "--all", "-o", "run.ctx"]);
  const bytes = fs.readFileSync(join(maker, "run.ctx"));
  const folder = await emptyStore(smallRun({ created: "2026-02-09T12:00:00Z" }));
  await must(folder, packArgs);
  fs.writeFileSync(join(folder, "run.ctx"), isReversed ? tar(untar(bytes).toReversed()) : bytes);
  return { folder, args: ["import", "run.ctx"], words: ["run.ctx"] };
}

export const importing: Subject = { name: "import", fresh: () => bundle(false) };

export const importReversed: Subject = {
  name: "import of a file in another order",
  fresh: () => bundle(true),
};

export const exporting: Subject = {
  name: "export",
  fresh: async () => ({
    folder: (await onePack()).folder,
    args: ["export", "latest", "-o", "out.ctx"],
    words: ["out.ctx"],
  }),
};

/** Returns a registry in memory, for as long as this process lives. */
async function startRegistry(): Promise<string> {
  const child = spawn(process.execPath, [join(repository, "scripts/small-registry.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  atEnd(() => void child.kill());
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return `127.0.0.1:${port.toString().trim()}`;
}

let registry: Promise<string> | undefined;

export const pull: Subject = {
  name: "pull",
  fresh: async () => {
    registry ??= startRegistry();
    const repository = `oci://${await registry}/runs`;
    const maker = await emptyStore(smallRun());
    const [hex = ""] = await must(maker, packArgs);
    await must(maker, ["push", "latest", `${repository}:torture`]);
    const folder = await emptyStore(smallRun({ created: "2026-02-09T12:00:00Z" }));
    await must(folder, packArgs);
    fs.mkdirSync(join(folder, "home"));
    return { folder, args: ["pull", `${repository}:${hex}`], options: atHome, words: ["127.0.0.1"] };
  },
};
