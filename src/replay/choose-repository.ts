// Chooses the repository whose commits a replay may start from: the one that the user names, the recorded
// folder of the run if that is one on this machine, or the one around the store. Never clones, never fetches.
import * as fs from "node:fs";
import { isAbsolute } from "node:path";
import { CtxError } from "../base/errors.js";
import { type Manifest, workdirOf } from "../model/manifest.js";
import { withoutAuto } from "../results/replay.js";
import type { CheckoutNeed } from "./coverage.js";
import type { ReplayOptions } from "./options.js";
import { objectsElsewhere } from "./own-objects.js";
import { hostAndPath, recordedRemote } from "./recorded-remote.js";
import { type Repository, tryGit } from "./repository.js";

/** Returns the repository, and what the user should know about it. */
export function chooseRepository(
  store: { folder: string },
  manifest: Manifest,
  { repo, auto, machine }: ReplayOptions,
): { repository: Repository; notices: string[] } {
  const at = (folder: string): Repository => ({ folder, path: machine.path, home: machine.home });
  if (repo !== undefined) {
    if (topOf(at(repo)) === undefined) throw new CtxError("not-found", `${repo} is not in a git repository`);
    return { repository: at(repo), notices: [] };
  }
  if (auto !== true) {
    const around = at(store.folder);
    const elsewhere = objectsElsewhere(around);
    if (elsewhere !== undefined) throw borrowed(store.folder, elsewhere);
    return { repository: around, notices: [] };
  }
  const found = findRepository(store, manifest, at);
  if (found === undefined) throw notFound(manifest);
  if (found.elsewhere !== undefined) throw borrowed(found.repository.folder, found.elsewhere);
  return { repository: found.repository, notices: [`the repository is ${found.repository.folder}`] };
}

/** Returns the repository of a run on this machine, if it is here. `elsewhere`: the folder of its objects. */
function findRepository(
  store: { folder: string },
  manifest: Manifest,
  at: (folder: string) => Repository,
): { repository: Repository; elsewhere: string | undefined } | undefined {
  const workdir = workdirOf(manifest);
  const isHere = workdir !== undefined && isAbsolute(workdir) && isFolder(workdir);
  const recorded = recordedRemote(manifest);
  for (const folder of [...(isHere ? [workdir] : []), store.folder]) {
    const repository = at(folder);
    if (topOf(repository) === undefined) continue;
    const remotes = remotesOf(repository);
    const isRecorded = recorded !== undefined && remotes.includes(recorded);
    // The pack says where it ran, and a stranger's pack may name any folder of the user's: there the remote
    // decides. The repository around the store is the user's choice, unless it is one with another remote.
    if (!isRecorded && (folder !== store.folder || (recorded !== undefined && remotes.length > 0))) continue;
    return { repository, elsewhere: objectsElsewhere(repository) };
  }
  return undefined;
}

/**
 * Returns what provides the files and dependencies of the run's repository: `--auto` alone only if that would
 * find it here.
 */
export function checkoutNeed(
  store: { folder: string },
  manifest: Manifest,
  { auto, workspace, machine }: Pick<ReplayOptions, "auto" | "workspace" | "machine">,
): CheckoutNeed {
  const what = checkoutText(manifest);
  if (auto === true) return { what, flag: "--auto" };
  // --auto would replace that folder.
  if (workspace !== undefined) return { what, flag: "--deps <folder>" };
  const found = findRepository(store, manifest, (folder) => ({
    folder,
    path: machine.path,
    home: machine.home,
  }));
  const isHere = found !== undefined && found.elsewhere === undefined;
  return { what, flag: isHere ? "--auto" : "--auto --repo <folder>" };
}

function checkoutText(manifest: Manifest): string {
  const remote = recordedRemote(manifest);
  return remote === undefined ? "a checkout" : `a checkout of ${remote}`;
}

function notFound(manifest: Manifest): CtxError {
  return new CtxError("not-found", "the repository of this run was not found on this machine", {
    hint: `name ${checkoutText(manifest)} with --repo <folder>, or ${withoutAuto}`,
  });
}

function borrowed(folder: string, elsewhere: string): CtxError {
  return new CtxError(
    "not-found",
    `the repository in ${folder} has objects in another folder, ${elsewhere}`,
    {
      hint: `if both are yours, name it: --repo ${folder}`,
    },
  );
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function topOf(repository: Repository): string | undefined {
  const { status, stdout } = tryGit(repository, ["rev-parse", "--show-toplevel"]);
  const top = stdout?.toString("utf8").replace(/\n$/, "") ?? "";
  return status === 0 && top !== "" ? top : undefined;
}

function remotesOf(repository: Repository): string[] {
  const { stdout } = tryGit(repository, ["config", "--get-regexp", "^remote\\..*\\.url$"]);
  return stdout
    .toString("utf8")
    .split("\n")
    .flatMap((line) => hostAndPath(line.slice(line.indexOf(" ") + 1)) ?? []);
}
