// The executors that come with ctx: they do what a file tool of any agent does, on a workspace. They start no
// process and touch nothing but the workspace; whatever a pack can cause becomes an outcome.
import { CtxError, errnoOf } from "../base/errors.js";
import type { Action, ToolUse } from "../tools/table.js";
import { patchUnified } from "./apply-unified.js";
import { type Outcome, outcomeOfFailure, StepFailure } from "./outcome.js";
import { NotApplied } from "./not-applied.js";
import { patchV4a } from "./patch-v4a.js";
import { glob, grep } from "./search.js";
import { stageOn } from "./patch-transaction.js";
import { insertLines, replaceTexts, takeLines } from "./text-edits.js";
import { mostBytes, type Tree } from "./workspace.js";

type Executors = {
  [A in Action]?: (tree: Tree, use: Extract<ToolUse, { action: A }>, folder?: string) => Outcome;
};

/** Executes one call. Relative paths are relative to `folder`; by default the root. */
export function runBuiltin(tree: Tree, use: ToolUse, folder?: string): Outcome {
  const execute = executors[use.action] as
    | ((tree: Tree, use: ToolUse, folder?: string) => Outcome)
    | undefined;
  if (execute === undefined)
    return { kind: "failed", reason: "no_tool", message: `nothing built in does ${use.action}` };
  try {
    return execute(tree, use, folder);
  } catch (error) {
    if (error instanceof NotApplied) return { kind: "effect", applied: false, message: error.message };
    if (error instanceof StepFailure) return outcomeOfFailure(error);
    if (error instanceof CtxError || errnoOf(error) !== undefined)
      return { kind: "failed", reason: "error", message: (error as Error).message };
    throw error;
  }
}

const executors: Executors = {
  read(tree, use, folder) {
    const content = tree.read(tree.locate(use.path, folder));
    return output(use.from === undefined && use.lines === undefined ? content : takeLines(content, use));
  },

  list(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    const found: { name: string; kind: string }[] = use.isDeep ? [] : tree.list(path);
    if (use.isDeep) tree.walk(path, (entry) => void found.push({ name: entry.path, kind: entry.kind }));
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const lines = found.map(({ name, kind }) => `${name}${kind === "folder" ? "/" : ""}\n`);
    return output(Buffer.from(lines.join(""), "latin1"));
  },

  glob: (tree, use, folder) => output(glob(tree, use.pattern, tree.locate(use.path, folder))),

  grep: (tree, use, folder) => output(grep(tree, use, tree.locate(use.path, folder))),

  write(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    if (use.isNew === true && tree.stat(path) !== undefined)
      throw new NotApplied(`${path} is there already, and was to be new`);
    return written(tree, path, Buffer.from(use.content));
  },

  append(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    const before = tree.stat(path) === undefined ? Buffer.alloc(0) : tree.read(path);
    return written(tree, path, Buffer.concat([before, Buffer.from(use.content)]));
  },

  insert(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    const insertion = { after: use.after, text: use.content };
    return written(tree, path, insertLines(tree.read(path), insertion, path));
  },

  edit(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    const isMade = use.edits[0]?.old === "" && tree.stat(path) === undefined;
    const before = isMade ? Buffer.alloc(0) : tree.read(path);
    return written(tree, path, replaceTexts(before, use.edits, path));
  },

  patch(tree, use, folder) {
    const staging = stageOn(tree);
    const where = folder === undefined ? {} : { folder };
    const named = use.path === undefined ? {} : { path: use.path };
    if (use.format === "v4a") patchV4a(tree, staging, { text: use.text, ...where });
    else patchUnified(tree, staging, { text: use.text, ...named, ...where });
    const [path, another] = staging.commit();
    return effect(another === undefined ? path : undefined);
  },

  delete(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    tree.remove(path);
    return effect(path);
  },

  move(tree, use, folder) {
    const to = tree.locate(use.to, folder);
    tree.move(tree.locate(use.from, folder), to);
    return effect(to);
  },

  make_folder(tree, use, folder) {
    const path = tree.locate(use.path, folder);
    tree.makeFolder(path);
    return effect(path);
  },
};

/** The actions that `runBuiltin` supports. */
export const builtinActions: ReadonlySet<Action> = new Set(Object.keys(executors) as Action[]);

function output(bytes: Buffer): Outcome {
  return { kind: "output", bytes, compared: "output" };
}

function effect(path: string | undefined): Outcome {
  return path === undefined ? { kind: "effect", applied: true } : { kind: "effect", path, applied: true };
}

function written(tree: Tree, path: string, bytes: Buffer): Outcome {
  if (bytes.length > mostBytes)
    throw new StepFailure("error", `${path} would become too large`, { untried: true });
  tree.write(path, bytes);
  return effect(path);
}
