// Decides from the tool and the command of a step whether its output is a secret: the output of a command
// that prints one shows no sign of it.
import { isObject, type JsonObject, type JsonValue } from "../base/json/value.js";
import type { ContentOrigin } from "../model/manifest.js";
import { toolUse } from "../tools/table.js";
import { isHinted, ofLine, type Printing } from "./printing-line.js";
import { isSecretCode } from "./printing-mentions.js";
import { ofScript, ofVariables } from "./printing-judges.js";
import { mayNameSecret, secretFile } from "./secret-files.js";

export type { Printing };

/** Returns whether a content of this origin is or holds a secret; undefined if nothing suggests it. */
export function printingOf({ tool: written, parameters, path }: ContentOrigin): Printing | undefined {
  if (path !== undefined) return ofFile(path);
  // `mcp__server__tool` is a tool of an MCP server.
  const tool =
    written?.startsWith("mcp__") === true ? written.replace(/^mcp__(?:(?!__).){1,80}__/, "") : written;
  if (written !== undefined && isSecretTool(tool ?? "", written)) return { prints: "fields", isAlone: true };
  if (parameters === undefined || !mayPrintSecret(parameters)) return undefined;
  const use = tool === undefined ? undefined : toolUse(tool, parameters, undefined);
  if (use?.action === "read") return ofFile(use.path);
  if (tool !== undefined && searchTool.test(tool.replaceAll(/[^A-Za-z]/g, ""))) return ofSearch(parameters);
  if (use !== undefined && use.action !== "command" && use.action !== "internal") return undefined;
  const call = new CallParameters(tool ?? "");
  if (use?.action === "command") call.lines.push(lineOf(use.command));
  call.read(parameters, "");
  return call.printing();
}

function isSecretTool(tool: string, written: string): boolean {
  return mayNameSecret(written) && (secretTool.test(tool) || secretServer.test(written));
}

/** Returns whether a step shows what the command of an earlier step has printed since. */
export function isPoll({ tool = "", parameters }: ContentOrigin): boolean {
  // `wait` of Codex polls a script, or waits for agents.
  if (tool === "wait") return parameters?.["cell_id"] !== undefined;
  return pollingTool.test(tool.replaceAll(/[^A-Za-z]/g, ""));
}

const pollingTool =
  /^(?:bashoutput|writestdin|readbash|taskoutput|getterminaloutput|readterminal|commandstatus)$/i;

/** `get_secret_value`, `mcp__vault__read_secret`, `keychain.getPassword`. */
const secretTool =
  /(?:^|[^a-z])(?:get|read|fetch|reveal|access|retrieve|show|lookup|decrypt)[_-]?(?:[a-z]{0,20}[_-]?(?:secret|password|credential|api_?key|access_?token)s?(?:[_-]?(?:value|version|plain|text))?|(?:auth|bearer|session|refresh|id|user)?[_-]?token)$/i;

/** `secrets_get`, `password-read`, and tools of password managers that show items. */
const secretServer =
  /(?:^|[^a-z])(?:secret|password|credential|api_?key)s?[_-](?:get|read|show|fetch|reveal|value)$|(?:1password|onepassword|bitwarden|lastpass|keepass|vault)\w*?(?:__|[./:-])\w*(?:get|read|show|reveal)\w*$/i;
const environmentTool = /get_?env(?:ironment)?(?:_?var(?:iable)?s?)?$/i;
/** Tools that read Kubernetes objects, by kind. */
const clusterTool = /kubectl|k8s|kube|resource|^get$/i;
const changingTool = /write|create|edit|update|delete|remove|list|search|grep|glob|move|copy|upload/i;
const terminalTool = /terminal|shell|bash|console|tmux|command|exec/i;

/** Tools that print the lines of files that match a pattern. */
const searchTool = /^(?:functions)?(?:grep|grepsearch|grepfiles|searchfiles|searchfilecontent|ripgrep|rg)$/i;

/** Judges a search by the files and folders that it searches: its pattern is no command. */
function ofSearch(parameters: JsonObject): Printing | undefined {
  const mode = parameters["output_mode"];
  if (mode === "files_with_matches" || mode === "count") return undefined;
  const textsOf = (names: RegExp): string[] =>
    Object.entries(parameters)
      .filter(([name]) => names.test(name))
      .flatMap(([, value]) => value)
      .filter((value) => typeof value === "string")
      .slice(0, maxPaths);
  const globs = textsOf(/^(?:glob|include|include_pattern|file_pattern)$/);
  for (const path of [...textsOf(pathName), ...textsOf(/^(?:dir|directory|folder)$/)])
    for (const file of [path, ...["x", ...globs].map((name) => `${path.replace(/\/$/, "")}/${name}`)]) {
      const printing = ofFile(file.replace(/^file:\/\//, ""));
      if (printing !== undefined) return printing;
    }
  return globs.map(ofFile).find((printing) => printing !== undefined);
}

function ofFile(path: string): Printing | undefined {
  const prints = secretFile(path);
  return prints === undefined ? undefined : { prints, isAlone: true };
}

/** Names of parameters that hold a command or a script. */
const commandNames = new Set(
  "command cmd commands script code bash shell shell_command bash_command command_line commandline input args arguments argv chars keystrokes query sql".split(
    " ",
  ),
);
const pathName = /(?:^|[_-]|(?<=[a-z]))(?:paths?|files?|file_?names?|uris?)$/i;
/** A call of a tool in a script, as Codex writes them: `await tools.exec_command({cmd: "…"})`. */
const scriptCall = /\btools\.\w{1,60}\(\s*\{/;
const maxLines = 16;
const maxJsonLength = 1 << 16;

/** The command lines, scripts and files in the parameters of a call. */
class CallParameters {
  readonly lines: string[] = [];
  readonly #codes: string[] = [];
  readonly #paths: string[] = [];
  readonly #names: string[] = [];
  readonly #tool: string;

  constructor(tool: string) {
    this.#tool = tool;
  }

  read(value: JsonValue, name: string, depth = 0): void {
    if (typeof value === "string") return this.#text(value, name.toLowerCase(), depth);
    if (typeof value !== "object" || value === null || depth > 5) return;
    if (!Array.isArray(value)) {
      for (const [key, item] of Object.entries(value)) this.read(item as JsonValue, key, depth + 1);
      return;
    }
    const isLine = commandNames.has(name.toLowerCase()) && value.every((item) => typeof item === "string");
    if (isLine) this.#text(lineOf(value), name.toLowerCase(), depth);
    else for (const item of value.slice(0, maxLines)) this.read(item, name, depth + 1);
  }

  #text(text: string, name: string, depth: number): void {
    const inner = depth < 4 && commandNames.has(name) ? parsed(text) : undefined;
    if (inner !== undefined) this.read(inner, "", depth + 1);
    else if (name === "code" || name === "script" || name === "source" || scriptCall.test(text))
      this.#codes.push(text);
    else if (commandNames.has(name) || (name === "text" && terminalTool.test(this.#tool)))
      this.lines.push(text);
    else if (pathName.test(name)) this.#paths.push(text.replace(/^file:\/\//, ""));
    else this.#names.push(text);
  }

  printing(): Printing | undefined {
    const held = environmentTool.test(this.#tool) ? ofVariables(this.#names) : undefined;
    if (held !== undefined) return { prints: held, isAlone: true };
    if (clusterTool.test(this.#tool) && this.#names.some((name) => /^secrets?$/i.test(name)))
      return { prints: "fields", isAlone: true };
    for (const line of this.lines.slice(0, maxLines)) {
      const printing = ofLine(line);
      if (printing !== undefined) return printing;
    }
    for (const code of this.#codes.slice(0, maxLines)) {
      const printing = ofCode(code);
      if (printing !== undefined) return printing;
    }
    for (const path of this.#paths.slice(0, maxPaths)) {
      const printing = ofFile(path);
      if (printing !== undefined) return { ...printing, isAlone: this.#paths.length === 1 };
    }
    const isNamed = this.#names
      .slice(0, maxPaths)
      .some((name) => name.includes("/") && !/\s/.test(name) && secretFile(name) !== undefined);
    return isNamed && !changingTool.test(this.#tool) ? { prints: "value", isAlone: false } : undefined;
  }
}

const maxPaths = 256;

/** Parses a JSON object in a string: `{"command": …}`. */
function parsed(text: string): JsonValue | undefined {
  if (text.length > maxJsonLength || !/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Judges a script of a language or a shell. */
function ofCode(code: string): Printing | undefined {
  const prints = ofScript(code.slice(0, maxJsonLength));
  if (prints !== undefined) return { prints, isAlone: false };
  if (isSecretCode(code.slice(0, maxJsonLength))) return { prints: "value", isAlone: false };
  for (const line of commandsIn(code)) {
    const printing = ofLine(line);
    if (printing !== undefined) return { ...printing, isAlone: false };
  }
  return ofLine(code.replace(/^\s*%%(?:bash|sh)\b[^\n]*\n/, ""));
}

/**
 * Returns the command lines that a script runs: `!line` of a notebook, `os.system("line")`,
 * `subprocess.run(["a", "b"])`, `tools.exec_command({cmd: "line"})`.
 */
function commandsIn(code: string): string[] {
  const found: string[] = [];
  const calls =
    /^\s*[!%](?:sx\s+)?([^\n]{1,2000})|(?:system|popen|run|call|check_output|getoutput|Popen|execSync|exec|spawn\w*|execFile\w*)\(\s*(?:\[([^\]\n]{1,2000})\]|(["'`])((?:(?!\3)[^\n]){1,2000})\3)/gm;
  for (const [, line, list, , text] of code.slice(0, maxJsonLength).matchAll(calls)) {
    if (found.length >= maxLines) break;
    const words =
      list === undefined ? undefined : [...list.matchAll(/["']([^"']*)["']/g)].map(([, word = ""]) => word);
    found.push(line ?? text ?? lineOf(words ?? []));
  }
  if (!scriptCall.test(code)) return found;
  const members =
    /\b(?:cmd|command)["']?\s{0,10}:\s{0,10}(?:\[([^\]]{1,2000})\]|(["'`])((?:\\[^]|(?!\2)[^\\]){1,2000})\2)/g;
  for (const [, list, , text = ""] of code.slice(0, maxJsonLength).matchAll(members)) {
    if (found.length >= maxLines) break;
    const words = [...(list ?? "").matchAll(/["']([^"']*)["']/g)].map(([, word = ""]) => word);
    found.push(list === undefined ? text.replaceAll(/\\(["'`\\])/g, "$1") : lineOf(words));
  }
  return found;
}

/** Joins a program and its arguments into a shell line. */
function lineOf(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

/** Returns whether a call may print a secret: a quick check, because there may be a million calls. */
function mayPrintSecret(value: JsonValue, depth = 0): boolean {
  if (typeof value === "string") return isHinted(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > 3) return true;
  if (Array.isArray(value)) return value.some((item) => mayPrintSecret(item, depth + 1));
  if (!isObject(value)) return false;
  for (const name in value) if (mayPrintSecret(value[name] as JsonValue, depth + 1)) return true;
  return false;
}
