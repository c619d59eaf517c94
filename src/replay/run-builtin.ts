// The executors that come with ctx: they do what a file tool of any agent does, on a workspace. They start no
// process and touch nothing but the workspace; whatever a pack can cause becomes an outcome.
import { CtxError, errnoOf } from "../base/errors.js";
import type { Action, ToolUse } from "../tools/table.js";
import { patchUnified } from "./apply-unified.js";
import { type Outcome, outcomeOfFailure, StepFailure } from "./outcome.js";
import { NotApplied } from "./outcome.js";
import { patchV4a } from "./patch-v4a.js";
import { showWindow } from "./edit-window.js";
import { glob, grep } from "./search.js";
import { PatchTransaction } from "./patch-transaction.js";
import { insertLines, replaceTexts, takeLines } from "./text-edits.js";
import { maxBytes, type Workspace } from "./workspace.js";

type Executors = {
  [A in Action]?: (workspace: Workspace, use: Extract<ToolUse, { action: A }>, folder?: string) => Outcome;
};

/** Executes one call. Relative paths are relative to `folder`; by default the root. */
export function runBuiltin(workspace: Workspace, use: ToolUse, folder?: string): Outcome {
  const execute = executors[use.action] as
    | ((workspace: Workspace, use: ToolUse, folder?: string) => Outcome)
    | undefined;
  if (execute === undefined)
    return { kind: "failed", reason: "no_tool", message: `no built-in tool does ${use.action}` };
  try {
    return execute(workspace, use, folder);
  } catch (error) {
    if (error instanceof NotApplied)
      return {
        kind: "effect",
        applied: false,
        message: error.message,
        ...(error.kind === undefined ? {} : { failure: error.kind }),
      };
    if (error instanceof StepFailure) return outcomeOfFailure(error);
    if (error instanceof CtxError || errnoOf(error) !== undefined)
      return { kind: "failed", reason: "error", message: (error as Error).message };
    throw error;
  }
}

const executors: Executors = {
  read(workspace, use, folder) {
    const content = workspace.read(workspace.locate(use.path, folder));
    return output(use.from === undefined && use.lines === undefined ? content : takeLines(content, use));
  },

  list(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    const found: { name: string; kind: string }[] = use.isDeep ? [] : workspace.list(path);
    if (use.isDeep) workspace.walk(path, (entry) => void found.push({ name: entry.path, kind: entry.kind }));
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const lines = found.map(({ name, kind }) => `${name}${kind === "folder" ? "/" : ""}\n`);
    return output(Buffer.from(lines.join(""), "latin1"));
  },

  glob: (workspace, use, folder) => output(glob(workspace, use, workspace.locate(use.path, folder))),

  grep: (workspace, use, folder) => output(grep(workspace, use, workspace.locate(use.path, folder))),

  write(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    if (use.isNew === true && workspace.stat(path) !== undefined)
      throw new NotApplied(`${path} is there already, and was to be new`, "file_exists");
    return written(workspace, path, Buffer.from(use.content));
  },

  append(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    const before = workspace.stat(path) === undefined ? Buffer.alloc(0) : workspace.read(path);
    return written(workspace, path, Buffer.concat([before, Buffer.from(use.content)]));
  },

  insert(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    const insertion = { after: use.after, text: use.content };
    return written(workspace, path, insertLines(workspace.read(path), insertion, path));
  },

  edit(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    const isMade = use.edits[0]?.old === "" && workspace.stat(path) === undefined;
    const before = isMade ? Buffer.alloc(0) : workspace.read(path);
    return written(workspace, path, replaceTexts(before, use.edits, path));
  },

  patch(workspace, use, folder) {
    const transaction = new PatchTransaction(workspace);
    const where = folder === undefined ? {} : { folder };
    const named = use.path === undefined ? {} : { path: use.path };
    if (use.format === "v4a") patchV4a(workspace, transaction, { text: use.text, ...where });
    else patchUnified(workspace, transaction, { text: use.text, ...named, ...where });
    const [path, another] = transaction.commit();
    return effect(another === undefined ? path : undefined);
  },

  delete(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    workspace.remove(path);
    return effect(path);
  },

  move(workspace, use, folder) {
    const to = workspace.locate(use.to, folder);
    workspace.move(workspace.locate(use.from, folder), to);
    return effect(to);
  },

  window: (workspace, use, folder) => output(showWindow(workspace, use, folder)),

  make_folder(workspace, use, folder) {
    const path = workspace.locate(use.path, folder);
    workspace.makeFolder(path);
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

function written(workspace: Workspace, path: string, bytes: Buffer): Outcome {
  if (bytes.length > maxBytes)
    throw new StepFailure("error", `${path} would become too large`, { untried: true });
  workspace.write(path, bytes);
  return effect(path);
}
