// What must hold after any command was disturbed. The files are read here as well as by the program, which
// must not be trusted alone. The invariants are those of docs/reliability.md.
import * as fs from "node:fs";
import { join } from "node:path";
import { type Ended, runCtx } from "../dev/processes.js";
import { copyOf } from "../dev/scenes.js";
import { flawsOf, listed, reported, tornObjects } from "../dev/store-check.js";
import { type Call, isFlush, type Spoiled } from "../dev/strace.js";
import { run, type State } from "./subject.js";
import { stagedIn, differences, keyOf, settledTree, type Tree, wholeTree } from "./trees.js";

function packsIn(tree: Tree): string[] {
  return [...tree.keys()].flatMap((path) => /^\.ctx\/packs\/([0-9a-f]{64})$/.exec(path)?.[1] ?? []);
}

/**
 * I1 to I3, by the files alone: each file is as it was before or as it should be, nothing that should
 * stay is gone, and what makes other things count (a pack, a draft's log, a store's config) comes after them.
 */
export function harmIn(found: Tree, { start, clean: { tree: clean } }: State): string[] {
  const wrong: string[] = [];
  for (const [path, content] of found)
    if (start.get(path) !== content && clean.get(path) !== content) wrong.push(`half-made: ${path}`);
  const isAdded = packsIn(clean).every((hex) => found.has(`.ctx/packs/${hex}`));
  for (const [path, content] of start) {
    if (found.has(path)) continue;
    if (clean.get(path) === content || clean.has(path)) wrong.push(`lost: ${path}`);
    else if (!isAdded) wrong.push(`removed before all is added: ${path}`);
  }
  for (const path of found.keys()) {
    if (start.has(path) || !/(?:^|\/)(?:execution|config)\.json$/.test(path)) continue;
    const around = path.slice(0, path.lastIndexOf("/") + 1);
    for (const other of clean.keys())
      if (other.startsWith(around) && !found.has(other)) wrong.push(`${path} without ${other}`);
  }
  return wrong;
}

/** I1 to I3, by what the store holds and by what the program lists. */
async function storeHarm(folder: string, tree: Tree): Promise<string[]> {
  if (!tree.has(".ctx/config.json")) return [];
  const packs = packsIn(tree);
  const wrong = [
    ...tornObjects(folder).map((hex) => `torn object ${hex}`),
    ...tornLatest(folder),
    ...packs.flatMap((hex) => flawsOf(folder, hex).map((flaw) => `pack ${hex}: ${flaw}`)),
  ];
  if (packs.length === 0) return wrong;
  try {
    const shown = await listed(folder);
    if (shown.toSorted().join() !== packs.toSorted().join()) wrong.push(`ctx log lists ${shown.join()}`);
  } catch (error) {
    wrong.push((error as Error).message);
  }
  return wrong;
}

/** `latest` may name any pack, but must be complete. */
function tornLatest(folder: string): string[] {
  const path = join(folder, ".ctx/refs/latest");
  if (!fs.existsSync(path)) return [];
  const text = fs.readFileSync(path, "latin1");
  return /^sha256:[0-9a-f]{64}\n$/.test(text) ? [] : [`torn refs/latest: ${text}`];
}

/** I4 and I6: the state after the same command is run again, and after the store is cleaned. */
async function aftermath(folder: string, tree: Tree, state: State): Promise<string[]> {
  const wrong = await storeHarm(folder, tree);
  for (const store of storesWith(stagedIn(tree), tree)) wrong.push(...(await cleaned(copyOf(folder), store)));
  const { scene, clean, twice } = state;
  const settled = settledTree(tree);
  // Its log is gone: there is nothing left to seal, and the command says so.
  const isSealed = scene.draft !== undefined && !settled.has(`${scene.draft}/execution.json`);
  const [before, untouched] = [keyOf(settled), keyOf(wholeTree(scene.folder))];
  const again = await run(scene, folder);
  const after = wholeTree(folder);
  const outcome = settledTree(after);
  const is = (other: { status: number | null; tree: Tree }): boolean =>
    again.status === other.status && keyOf(outcome) === keyOf(other.tree);
  const isAsExpected = is(clean) || (keyOf(tree) !== untouched && is(twice));
  if (!isAsExpected && !(isSealed && again.status === 2 && keyOf(outcome) === before))
    wrong.push(`again: ${again.status} ${again.stdout}${again.stderr}`, ...differences(outcome, clean.tree));
  // A command that finds nothing to do clears nothing, either; the next writer does.
  const left = stagedIn(after);
  const stores = storesWith(left, after);
  for (const store of stores) wrong.push(...(await cleaned(folder, store)).map((text) => `again: ${text}`));
  const others = left.filter((path) => !stores.some((store) => path.startsWith(`${store}.ctx/`)));
  wrong.push(...others.map((path) => `again: left ${path}`));
  return wrong;
}

/** Returns the folders, each with a slash at its end, of the stores in which one of these paths is. */
function storesWith(paths: readonly string[], tree: Tree): string[] {
  const config = ".ctx/config.json";
  const stores = [...tree.keys()]
    .filter((path) => path === config || path.endsWith(`/${config}`))
    .map((path) => path.slice(0, -config.length));
  return stores.filter((store) => paths.some((path) => path.startsWith(`${store}.ctx/`)));
}

/** I6: no staged file outlives a `gc` of the store, and every pack does. */
async function cleaned(folder: string, store: string): Promise<string[]> {
  const { status, stderr } = await runCtx(join(folder, store), ["gc", "--grace", "0d"]);
  if (status !== 0) return [`gc: ${stderr}`];
  const tree = wholeTree(folder);
  return [
    // Leftovers that forks and sidecars write beside the user's files are cleared by the next fork or sidecar
    // there.
    ...stagedIn(tree)
      .filter((path) => path.startsWith(`${store}.ctx/`))
      .map((path) => `after gc there is ${path}`),
    ...packsIn(tree).flatMap((hex) => flawsOf(folder, hex).map((flaw) => `after gc, pack ${hex}: ${flaw}`)),
  ];
}

/** Where something failed, and why. */
export interface Failure {
  folder: string;
  errno: string;
  /** The write to standard output failed. */
  isOutput: boolean;
}

/** Judges states of one start state; the verdict on a state is remembered. */
export class Judge {
  readonly #state: State;
  /** Staged files and leftovers from before. */
  readonly #wasAside: ReadonlySet<string>;
  readonly #known = new Map<string, Promise<string[]>>();

  constructor(state: State) {
    this.#state = state;
    this.#wasAside = new Set(stagedIn(wholeTree(state.scene.folder)));
  }

  /** Returns what is wrong after a kill. */
  async afterKill({ folder, ended }: Spoiled, signal = "SIGKILL"): Promise<string[]> {
    const tree = wholeTree(folder);
    const wrong = ended.signal === signal ? [] : [`it survived with status ${ended.status}`];
    wrong.push(...harmIn(settledTree(tree), this.#state), ...unlisted(ended, tree, this.#state));
    wrong.push(...(await this.#afterwards(folder, tree)));
    return wrong;
  }

  /** Returns what is wrong after one call failed. */
  async afterError({ folder, ended, later }: Spoiled, call: Call, errno: string): Promise<string[]> {
    const tree = wholeTree(folder);
    const settled = settledTree(tree);
    const state = this.#state;
    const isEarly = state.calls.indexOf(call) <= state.durable;
    const isOutput = /^write fd 1\b/.test(call.what);
    const wrong = [...harmIn(settled, state), ...unlisted(ended, tree, state)];
    if (state.scene.isSilent !== true) {
      wrong.push(...claims(ended, settled, state, isEarly));
      wrong.push(...unclear(ended, state, { folder, errno, isOutput }));
      if (ended.status === 0 && isFlush(call.name) && isEarly) wrong.push("succeeds without a flush");
    }
    // A failed flush may have lost the bytes for good: a second one would report success.
    if (isFlush(call.name) && isEarly && later.length > 0) wrong.push("goes on flushing");
    wrong.push(...(await this.#afterwards(folder, tree)));
    return wrong;
  }

  /** Returns what is wrong after it ran with too little or no space; `folder` is a copy of the result. */
  async afterRefusal(folder: string, ended: Ended, where: Failure): Promise<string[]> {
    const tree = wholeTree(folder);
    const settled = settledTree(tree);
    const state = this.#state;
    const wrong = [...harmIn(settled, state), ...unlisted(ended, tree, state)];
    if (state.scene.isSilent !== true) {
      wrong.push(...claims(ended, settled, state, !where.isOutput && ended.status === 2));
      wrong.push(...unclear(ended, state, where));
    }
    wrong.push(
      ...stagedIn(tree)
        .filter((path) => !this.#wasAside.has(path))
        .map((path) => `left behind ${path}`),
    );
    wrong.push(...(await this.#afterwards(folder, tree)));
    return wrong;
  }

  #afterwards(folder: string, tree: Tree): Promise<string[]> {
    const key = keyOf(tree);
    const known = this.#known.get(key) ?? aftermath(folder, tree, this.#state);
    this.#known.set(key, known);
    return known.finally(() => fs.rmSync(folder, { recursive: true, force: true }));
  }
}

/** I1: every reported pack exists. */
function unlisted({ stdout }: Ended, tree: Tree, { scene }: State): string[] {
  if (scene.removes === true) return [];
  const packs = packsIn(tree);
  return reported(stdout)
    .filter((hex) => !packs.includes(hex))
    .map((hex) => `reported, but not there: ${hex}`);
}

/** I5: success only when all is done, and nothing claimed otherwise. */
function claims({ status, stdout, stderr }: Ended, found: Tree, state: State, isEarly: boolean): string[] {
  const { clean, start } = state;
  const wrong: string[] = [];
  if (status === null) return ["it hangs, or is killed"];
  // A fault while a pack is read makes the answer "damaged", also after a sidecar was written rightly.
  const isDoubt = state.scene.isAnswer === true && status === 1;
  if (status !== clean.status && status !== 2 && !isDoubt) wrong.push(`status ${status}: ${stderr}`);
  if (isDoubt) {
    for (const [path, entry] of found)
      if (start.get(path) !== entry && clean.tree.get(path) !== entry)
        wrong.push(`answers no, and leaves ${path}`);
  } else if (status === 2) {
    const added = packsIn(found).filter((hex) => !start.has(`.ctx/packs/${hex}`));
    // Of several packs, those that could be made are reported.
    if (reported(stdout).length > 0 && state.scene.isSeveral !== true)
      wrong.push(`fails, and prints ${stdout}`);
    if (added.length > 0 && stderr.includes("nothing was added")) wrong.push("says that nothing was added");
    const drafts = [...found.keys()].filter(
      (path) => path.endsWith("/execution.json") && !start.has(path) && isEarly,
    );
    if (drafts.length > 0 && clean.status === 0) wrong.push(`fails, and leaves ${drafts.join(" ")}`);
  } else {
    // A sidecar that could not be written and a draft that could not be removed do not undo a pack.
    const missing = differences(found, clean.tree).filter(
      (text) => !(mayLack(text, state) && !isEarly && stderr !== ""),
    );
    if (missing.length > 0) wrong.push(`succeeds, but: ${missing.join(", ")}`);
  }
  return wrong;
}

function mayLack(difference: string, { scene: { draft } }: State): boolean {
  const isDraft = draft !== undefined && difference.includes(` ${draft}`);
  return difference.endsWith(".ctx.json") || (isDraft && difference.startsWith("besides "));
}

/** Returns what the message of a failed command lacks, or says wrongly. */
function unclear(
  { status, stderr }: Ended,
  { scene, clean }: State,
  { folder, errno, isOutput }: Failure,
): string[] {
  const wrong: string[] = [];
  if (/^ +at |node:|ctx has a bug/m.test(stderr)) wrong.push("shows its insides");
  // A command that is refused for another reason need not mention a fault that did not matter.
  const isRefusal = clean.status === 2 && plain(stderr) === plain(clean.ended.stderr);
  if (status === 2 && !isRefusal) {
    // A check before the write can say more than the system's error.
    if (errno === "ENOSPC" && /the pull needs \d+ bytes, but only \d+ are free here/.test(stderr))
      return wrong;
    // Bytes that are hashed after they are written are refused by their hash.
    if (errno === "bytes were written" && /has the hash|is not a valid/.test(stderr)) return wrong;
    if (!stderr.includes(errno)) wrong.push("hides the errno");
    if (stderr.includes("standard output") !== isOutput) wrong.push("blames the wrong file");
    if (!isOutput && ![folder, ...(scene.words ?? [])].some((word) => stderr.includes(word)))
      wrong.push("names no path");
  }
  return wrong.map((text) => `${text}: ${stderr.split("\n")[0]}`);
}

/** Without the names of temporary folders. */
function plain(text: string): string {
  return text.replaceAll(/\/\S*\/ctx-test-\w+/g, "@");
}

/** The name of a folder, for messages. */
export function inFolder(text: string, folder: string): string {
  return text.replaceAll(join(folder, "/"), "@/").replaceAll(folder, "@");
}
