// A command under test, the state that its store is in, and what it does when nothing disturbs it.
import { ctxCommand, type Ended, runCtx, type StartOptions } from "../dev/processes.js";
import { callsAbout, copyOf } from "../dev/scenes.js";
import { type Call, inject, isChange, isFlush, record, type Fault, type Spoiled } from "../dev/strace.js";
import { settledTree, type Tree, wholeTree } from "./trees.js";

/** A command in a folder, which it may change. */
export interface Scene {
  folder: string;
  args: readonly string[];
  /** Where its store is, if not in the folder. */
  store?: string;
  /** Options of the process, in this copy of the folder. */
  options?: (folder: string) => StartOptions;
  /** Words by which a message may name its subject, besides the path of the folder. */
  words?: readonly string[];
  /** It never fails and never prints anything, as nothing reads its output. */
  isSilent?: boolean;
  /** It prints which packs it removed. */
  removes?: boolean;
  /** It makes several packs, and some of them may fail. */
  isSeveral?: boolean;
  /** It answers a question first: a fault while it reads can make the answer "no", with status 1. */
  isAnswer?: boolean;
  /** A draft that it seals: without its log there is nothing left to seal. */
  draft?: string;
  /** Paths that may exist already, and whose names may not be flushed yet. */
  unsure?: readonly string[];
  /** The same for the folder itself and the folders above it. */
  isUnsureAbove?: boolean;
  /**
   * The flush with which its work is safe, if not the last: a note that it writes afterwards may be missing.
   */
  safeWith?: string;
  /** Only one call of each kind is tried: there are hundreds that differ in nothing else. */
  isVast?: boolean;
}

export const stateNames = ["fresh", "present", "left-overs"] as const;
export type StateName = (typeof stateNames)[number];

/** A command, and how to make a folder for it. */
export interface Subject {
  name: string;
  fresh(): Promise<Scene>;
  /** A store that has all of it already; by default, one in which the command was run before. */
  present?(): Promise<Scene>;
}

/** A start state, with everything that is needed to judge the result of a disturbed run. */
export interface State {
  name: StateName;
  scene: Scene;
  /** The calls about the folder, in their order. */
  calls: readonly Call[];
  start: Tree;
  /** What the command leaves when nothing disturbs it, and when it is run once more. */
  clean: Outcome;
  twice: Outcome;
  /** The last call before the work is safe. */
  durable: number;
}

export interface Outcome {
  status: number | null;
  tree: Tree;
  ended: Ended;
}

export function run({ args, options }: Scene, folder: string): Promise<Ended> {
  return runCtx(folder, args, options?.(folder));
}

/** Runs the command with one fault, in a copy of the folder. */
export function spoil(scene: Scene, call: Call, fault: Fault): Promise<Spoiled> {
  return inject(
    call,
    fault,
    () => copyOf(scene.folder),
    (folder) => ctxCommand(folder, scene.args),
    scene.options,
  );
}

async function outcome(scene: Scene, folder: string): Promise<Outcome> {
  const ended = await run(scene, folder);
  return { status: ended.status, tree: settledTree(wholeTree(folder)), ended };
}

/** Makes something once for each subject and state: several cases start from the same. */
function once<T>(make: (subject: Subject, name: StateName) => Promise<T>): typeof make {
  const made = new Map<Subject, Map<StateName, Promise<T>>>();
  return async (subject, name) => {
    const states = made.get(subject) ?? new Map<StateName, Promise<T>>();
    made.set(subject, states);
    const known = states.get(name) ?? make(subject, name);
    states.set(name, known);
    return await known;
  };
}

/** The subject in one of the three states of the store. Its folder must not be changed. */
export const sceneIn = once(makeScene);

/** The same, with everything that is needed to judge the result of a disturbed run. */
export const stateOf = once(makeState);

async function makeScene(subject: Subject, name: StateName): Promise<Scene> {
  if (name === "fresh") return subject.fresh();
  if (name === "present" && subject.present !== undefined) return subject.present();
  const scene = await sceneIn(subject, "fresh");
  if (name === "present") {
    const folder = copyOf(scene.folder);
    const { status, stderr } = await run(scene, folder);
    // A command that is refused the first time is refused the second.
    if (status !== 0 && status !== 2) throw new Error(`ctx ${scene.args.join(" ")} failed: ${stderr}`);
    return { ...scene, folder };
  }
  const changes = (await callsOf(scene)).filter(isChange);
  const middle = changes[changes.length >> 1] as Call;
  const { folder } = await spoil(scene, middle, { signal: "SIGKILL" });
  return { ...scene, folder };
}

async function callsOf({ folder: start, args, options }: Scene): Promise<Call[]> {
  const folder = copyOf(start);
  const { trace } = await record(ctxCommand(folder, args), [], options?.(folder));
  // Files in cache/ may be lost at any time, and have another name each time.
  return callsAbout(trace, folder).filter(({ what }) => !what.includes("/.ctx/cache"));
}

async function makeState(subject: Subject, name: StateName): Promise<State> {
  const scene = await sceneIn(subject, name);
  const folder = copyOf(scene.folder);
  const clean = await outcome(scene, folder);
  const twice = await outcome(scene, folder);
  const calls = await callsOf(scene);
  const packs = calls.findLastIndex(({ what }) => what === "fsync @/.ctx/packs");
  return {
    name,
    scene,
    calls,
    start: settledTree(wholeTree(scene.folder)),
    clean,
    twice,
    durable:
      packs >= 0
        ? packs
        : calls.findLastIndex(({ name, what }) =>
            scene.safeWith === undefined ? isFlush(name) : what === scene.safeWith,
          ),
  };
}
