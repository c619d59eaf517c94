// What must hold after a command was disturbed, whatever the command is. The files are read here, and the program is asked: it
// must not be trusted alone. The invariants are those of docs/reliability.md.
import * as fs from "node:fs";
import { join } from "node:path";
import { type Ended, runCtx } from "../dev/processes.js";
import { copyOf } from "../dev/scenes.js";
import { flawsOf, listed, reported, tornObjects } from "../dev/store-check.js";
import { type Call, isFlush, type Spoiled } from "../dev/strace.js";
import { run, type State } from "./subject.js";
import { asideIn, differences, keyOf, settledTree, type Tree, wholeTree } from "./trees.js";

function packsIn(tree: Tree): string[] {
  return [...tree.keys()].flatMap((path) => /^\.ctx\/packs\/([0-9a-f]{64})$/.exec(path)?.[1] ?? []);
}

/**
 * I1 to I3, by the files alone: what is there is as it was before or as it should be, nothing that should stay is gone, and what
 * makes other things count (a pack, a draft's log, a store's config) comes after them.
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

/** `latest` may be anywhere, but must be whole. */
function tornLatest(folder: string): string[] {
  const path = join(folder, ".ctx/refs/latest");
  if (!fs.existsSync(path)) return [];
  const text = fs.readFileSync(path, "latin1");
  return /^sha256:[0-9a-f]{64}\n$/.test(text) ? [] : [`torn refs/latest: ${text}`];
}

/** I4 and I6: what becomes of a state when the same command is run again, and when the store is cleaned. */
async function aftermath(folder: string, tree: Tree, state: State): Promise<string[]> {
  const wrong = await storeHarm(folder, tree);
  for (const store of storesWith(asideIn(tree), tree)) wrong.push(...(await cleaned(copyOf(folder), store)));
  const { scene, clean, twice } = state;
  const settled = settledTree(tree);
  // Its log is gone: there is nothing left to seal, and that is said.
  const isSealed = scene.draft !== undefined && !settled.has(`${scene.draft}/execution.json`);
  const [before, untouched] = [keyOf(settled), keyOf(wholeTree(scene.folder))];
  const again = await run(scene, folder);
  const after = wholeTree(folder);
  const outcome = settledTree(after);
  const is = (other: { status: number | null; tree: Tree }): boolean =>
    again.status === other.status && keyOf(outcome) === keyOf(other.tree);
  const isAsAsked = is(clean) || (keyOf(tree) !== untouched && is(twice));
  if (!isAsAsked && !(isSealed && again.status === 2 && keyOf(outcome) === before))
    wrong.push(`again: ${again.status} ${again.stdout}${again.stderr}`, ...differences(outcome, clean.tree));
  // One that finds nothing to do clears nothing, either; the next writer does.
  const left = asideIn(after);
  const stores = storesWith(left, after);
  for (const store of stores) wrong.push(...(await cleaned(folder, store)).map((text) => `again: ${text}`));
  const others = left.filter((path) => !stores.some((store) => path.startsWith(`${store}.ctx/`)));
  wrong.push(...others.map((path) => `again: left ${path}`));
  return wrong;
}

/** The folders, each with a slash behind it, of the stores in which one of these paths lies. */
function storesWith(paths: readonly string[], tree: Tree): string[] {
  const config = ".ctx/config.json";
  const stores = [...tree.keys()]
    .filter((path) => path === config || path.endsWith(`/${config}`))
    .map((path) => path.slice(0, -config.length));
  return stores.filter((store) => paths.some((path) => path.startsWith(`${store}.ctx/`)));
}

/** I6: nothing that was written aside outlives a `gc` in the store, and every pack does. */
async function cleaned(folder: string, store: string): Promise<string[]> {
  const { status, stderr } = await runCtx(join(folder, store), ["gc", "--grace", "0d"]);
  if (status !== 0) return [`gc: ${stderr}`];
  const tree = wholeTree(folder);
  return [
    // What forks and sidecars write beside the user's files is theirs to clear, where they next come by.
    ...asideIn(tree)
      .filter((path) => path.startsWith(`${store}.ctx/`))
      .map((path) => `after gc there is ${path}`),
    ...packsIn(tree).flatMap((hex) => flawsOf(folder, hex).map((flaw) => `after gc, pack ${hex}: ${flaw}`)),
  ];
}

/** Where something failed, and why. */
export interface Place {
  folder: string;
  errno: string;
  /** It was standard output. */
  isOutput: boolean;
}

/** Judges states of one start state; the same state twice gives the same answer, and is not asked again. */
export class Judge {
  readonly #state: State;
  /** What lay aside before. */
  readonly #wasAside: ReadonlySet<string>;
  readonly #known = new Map<string, Promise<string[]>>();

  constructor(state: State) {
    this.#state = state;
    this.#wasAside = new Set(asideIn(wholeTree(state.scene.folder)));
  }

  /** What is wrong after a kill. */
  async afterKill({ folder, ended }: Spoiled, signal = "SIGKILL"): Promise<string[]> {
    const tree = wholeTree(folder);
    const wrong = ended.signal === signal ? [] : [`it survived with status ${ended.status}`];
    wrong.push(...harmIn(settledTree(tree), this.#state), ...unlisted(ended, tree, this.#state));
    wrong.push(...(await this.#afterwards(folder, tree)));
    return wrong;
  }

  /** What is wrong after one call failed. */
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
    // A flush that failed may have lost the bytes for good: a second one would say that all is well.
    if (isFlush(call.name) && isEarly && later.length > 0) wrong.push("goes on flushing");
    wrong.push(...(await this.#afterwards(folder, tree)));
    return wrong;
  }

  /** What is wrong after it ran where nothing, or not enough, can be written; `folder` is a copy of what it left there. */
  async afterRefusal(folder: string, ended: Ended, where: Place): Promise<string[]> {
    const tree = wholeTree(folder);
    const settled = settledTree(tree);
    const state = this.#state;
    const wrong = [...harmIn(settled, state), ...unlisted(ended, tree, state)];
    if (state.scene.isSilent !== true) {
      wrong.push(...claims(ended, settled, state, !where.isOutput && ended.status === 2));
      wrong.push(...unclear(ended, state, where));
    }
    wrong.push(
      ...asideIn(tree)
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

/** I1: what was told is there. */
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
  if (status !== clean.status && status !== 2) wrong.push(`status ${status}: ${stderr}`);
  if (status === 2) {
    const added = packsIn(found).filter((hex) => !start.has(`.ctx/packs/${hex}`));
    // Of several, those that could be done are told.
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

/** What a failed command does not say, or says wrongly. */
function unclear(
  { status, stderr }: Ended,
  { scene, clean }: State,
  { folder, errno, isOutput }: Place,
): string[] {
  const wrong: string[] = [];
  if (/^ +at |node:|ctx has a bug/m.test(stderr)) wrong.push("shows its insides");
  // What is refused for another reason need not speak of a fault that did not matter.
  const isRefusal = clean.status === 2 && plain(stderr) === plain(clean.ended.stderr);
  if (status === 2 && !isRefusal) {
    // Whoever looks beforehand can say more than the system would.
    if (errno === "ENOSPC" && /bytes would come, and \d+ are free here/.test(stderr)) return wrong;
    // What is hashed when it has been written is refused by its hash.
    if (errno === "bytes arrived" && /has the hash|is not a sound/.test(stderr)) return wrong;
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

/** Where a folder stands, for messages. */
export function inFolder(text: string, folder: string): string {
  return text.replaceAll(join(folder, "/"), "@/").replaceAll(folder, "@");
}
