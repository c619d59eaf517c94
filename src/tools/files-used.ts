// Finds which files a call read, wrote or deleted, by the tool table and, for simple shell commands, by their
// words.
import { posix } from "node:path";
import type { JsonObject } from "../base/json/value.js";
import type { Manifest, Step } from "../model/manifest.js";
import { failureOf } from "../model/failed-calls.js";
import { addCommandFiles, type FilePaths } from "./command-files.js";
import { Parameters } from "./parameters.js";
import { toolUse, touchedBy } from "./table.js";

/** The files that a call used; paths are relative to the folder of the run if they are below it. */
export interface FileUses extends FilePaths {
  /** Whether the call may have used other files: it ran a command that the names do not explain. */
  isOpen: boolean;
}

/** Returns the files that a step used. A call that failed or was denied used none. */
export function filesUsed(step: Step, manifest: Manifest): FileUses {
  const uses: FileUses = { read: new Set(), written: new Set(), deleted: new Set(), isOpen: false };
  const failure = failureOf(step);
  if (step.tool === undefined || failure === "error" || failure === "denied") return uses;
  const { workdir } = manifest.metadata ?? {};
  addUses(uses, step.tool, step.parameters, { agent: agentOf(manifest), workdir });
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
  tool: string,
  parameters: JsonObject,
  { agent, workdir }: { agent: string | undefined; workdir: unknown },
): void {
  const use = toolUse(tool, parameters, agent);
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
