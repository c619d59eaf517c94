// Finds which files a call read, wrote or deleted, by the tool table and, for simple shell commands, by their
// words.
import { posix } from "node:path";
import type { JsonObject } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { failureOf } from "../model/failed-calls.js";
import { addCommandFiles, type FilePaths } from "./command-files.js";
import { isRefusedEdit, LineEditor } from "./line-editor.js";
import { Parameters } from "./parameters.js";
import { type ToolUse, toolUse, touchedBy } from "./table.js";

/** The files that a call used; paths are relative to the folder of the run if they are below it. */
export interface FileUses extends FilePaths {
  /**
   * Whether the call may have used other files: it ran a command that the names do not explain, or edited a
   * file that the log does not name.
   */
  isOpen: boolean;
}

/** What the calls of SWE-agent's editor do, by the index of the step: it depends on the calls before them. */
const editorUses = new WeakMap<Manifest, ReadonlyMap<number, ToolUse>>();

function editorUsesOf(manifest: Manifest): ReadonlyMap<number, ToolUse> {
  const known = editorUses.get(manifest);
  if (known !== undefined) return known;
  const uses = new Map<number, ToolUse>();
  const editor = new LineEditor();
  for (const { index, tool, parameters, metadata } of manifest.steps) {
    if (tool === undefined) continue;
    const folder = metadata?.["cwd"];
    const use = editor.useOf(
      tool,
      new Parameters(parameters),
      typeof folder === "string" ? folder : undefined,
    );
    if (use !== undefined) uses.set(index, use);
  }
  editorUses.set(manifest, uses);
  return uses;
}

/**
 * Returns the files that a step used. A call that failed or was denied used none. `answerOf` returns the
 * beginning of an output: it says whether SWE-agent's editor refused an edit. Without it, no edit counts as
 * refused.
 */
export function filesUsed(
  step: Step,
  manifest: Manifest,
  answerOf: (step: Step) => string = () => "",
): FileUses {
  const uses: FileUses = { read: new Set(), written: new Set(), deleted: new Set(), isOpen: false };
  const failure = failureOf(step);
  if (step.tool === undefined || failure === "error" || failure === "denied") return uses;
  const { workdir } = manifest.metadata ?? {};
  const agent = agentOf(manifest);
  const edited = agent === "swe-agent" ? editorUsesOf(manifest).get(step.index) : undefined;
  // An edit of the open file, whose name is not known.
  if (agent === "swe-agent" && edited === undefined && /^(?:edit|insert)$/.test(step.tool))
    uses.isOpen = true;
  else if (edited === undefined || !isRefusedEdit(answerOf(step)))
    addUses(uses, step, { use: edited ?? toolUse(step.tool, step.parameters, agent), workdir });
  const root = typeof workdir === "string" ? workdir : "";
  return {
    read: relativePaths(uses.read, root),
    written: relativePaths(uses.written, root),
    deleted: relativePaths(uses.deleted, root),
    isOpen: uses.isOpen,
  };
}

function addUses(
  uses: FileUses,
  { tool = "", parameters }: Step,
  { use, workdir }: { use: ToolUse | undefined; workdir: unknown },
): void {
  if (use === undefined) return;
  switch (use.action) {
    case "read":
      uses.read.add(use.path);
      break;
    case "command": {
      const folder = use.folder === workdir ? "" : (use.folder ?? "");
      uses.isOpen = !addCommandFiles(uses, use.command, folder);
      break;
    }
    case "delete":
      uses.deleted.add(use.path);
      break;
    case "move":
      uses.deleted.add(use.from);
      uses.written.add(use.to);
      break;
    case "patch": {
      const deleted = new Set(
        [...use.text.matchAll(/^\*\*\* Delete File: (.+)$/gm)].map((match) => (match[1] as string).trim()),
      );
      for (const path of touchedBy(use)) (deleted.has(path) ? uses.deleted : uses.written).add(path);
      break;
    }
    case "make_folder":
      break;
    case "window":
      if (use.path !== "")
        (use.change === undefined && use.isNew !== true ? uses.read : uses.written).add(use.path);
      break;
    case "internal":
      addView(uses, tool, parameters);
      break;
    default:
      for (const path of touchedBy(use)) uses.written.add(path);
  }
}

/** Adds the file that an editor showed: its view has a form of its own, but it reads the file. */
function addView(uses: FileUses, tool: string, values: JsonObject): void {
  const parameters = new Parameters(values);
  const isView = parameters.text("command") === "view" || /^view(?:_file)?$/i.test(tool);
  const path = parameters.path();
  if (isView && path !== undefined) uses.read.add(path);
}

/** Returns the agent that a run names, or the format of its log. */
export function agentOf({ metadata }: Manifest): string | undefined {
  const source = metadata?.["source"];
  if (typeof source !== "object" || source === null || Array.isArray(source)) return undefined;
  const { agent, format } = source as JsonObject;
  return typeof agent === "string" ? agent : typeof format === "string" ? format : undefined;
}

function relativePaths(paths: ReadonlySet<string>, root: string): Set<string> {
  return new Set([...paths].map((path) => relativePath(path, root)));
}

/** Returns `a/b.ts` for `./a/b.ts`, and for `/root/a/b.ts`. */
function relativePath(path: string, root: string): string {
  const plain = path.includes("\\") ? path : posix.normalize(path);
  return root !== "" && plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
}
