// Makes a workspace: a copy of a folder or a revision, if one is asked for, and the run's inputs laid over it, by name.
import * as fs from "node:fs";
import { join } from "node:path";
import { hexOf } from "../base/digest.js";
import { CtxError, errnoOf, withPath } from "../base/errors.js";
import { entriesIn } from "../base/files.js";
import type { Manifest } from "../model/manifest.js";
import { outsideName } from "../model/names.js";
import type { EnvironmentFact } from "../model/replay.js";
import { storeName } from "../store/layout.js";
import { readObject } from "../store/objects.js";
import { StepFailure } from "./executor.js";
import type { Tree } from "./tree.js";

/**
 * Lays the inputs into the workspace. One that is missing, damaged or cannot be there is reported, and does not stop the rest;
 * nothing is left of one that there was no room for, and the tree knows it.
 */
export function layInputs(
  store: { root: string },
  { inputs }: Manifest,
  { tree, notices }: { tree: Tree; notices: string[] },
): EnvironmentFact[] {
  return inputs.map(({ name, content_ref }) => {
    const fact = { kind: "input", name, recorded: content_ref } as const;
    try {
      const path = tree.locate(name);
      tree.write(path, readObject(store.root, hexOf(content_ref)));
      return { ...fact, found: content_ref, status: "same" };
    } catch (error) {
      const isMissing = error instanceof CtxError && error.code === "missing";
      const isDamaged = error instanceof CtxError && error.code === "damaged";
      if (!isMissing && !isDamaged && !(error instanceof StepFailure) && errnoOf(error) === undefined)
        throw error;
      notices.push(`input ${name} is not in the workspace: ${(error as Error).message}`.slice(0, 500));
      return { ...fact, found: null, status: isDamaged ? "damaged" : "missing" };
    }
  });
}

/** The names of files that the run had outside its own folder. */
export function namesOutside({ inputs, outputs }: Manifest): Set<string> {
  const names = [...inputs, ...outputs].map(({ name }) => name);
  return new Set(names.filter((name) => name.startsWith(`${outsideName}/`)));
}

/** Copies a folder without the store in it. Links stay links; what is neither file, folder nor link is left out, and told. */
export function copyFolder(from: string, to: string, options: { except: string }): string[] {
  const notices: string[] = [];
  const copy = (inside: string): void => {
    for (const entry of withPath(join(from, inside), "list", () => entriesIn(join(from, inside)))) {
      if (entry.name === storeName) continue;
      const path = join(inside, entry.name);
      const [source, target] = [join(from, path), join(to, path)];
      // The workspace itself may lie in what it is a copy of.
      if (source === options.except) continue;
      if (entry.isDirectory()) {
        fs.mkdirSync(target);
        copy(path);
        fs.chmodSync(target, fs.statSync(source).mode & 0o777);
      } else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
      else if (entry.isFile())
        withPath(source, "copy", () =>
          fs.copyFileSync(source, target, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE),
        );
      else notices.push(`${path} is no file, and is left out`);
    }
  };
  copy("");
  return notices;
}
