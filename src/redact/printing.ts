// What a step's output is known by: its own tool and command. A command that was asked for a secret prints one, and the output alone has
// no sign of it.
import { isObject, type JsonObject, type JsonValue } from "../base/json.js";
import { appendAll } from "../base/lists.js";
import type { ContentOrigin } from "../model/manifest.js";
import { toolUse } from "../model/tools.js";
import { longest, type Pipeline, pipelinesOf, type Stage } from "./command-line.js";
import { isTellingName, type Prints, programs } from "./printing-programs.js";
import { readsFiles, secretFile } from "./secret-files.js";

export interface Printing {
  /** `value`: nothing but a secret. `fields`: secrets beside their names. `maybe`: what may be one, and must look like it. */
  prints: Prints;
  /** Nothing else prints into the same output. */
  isAlone: boolean;
}

/** Whether the content that came from there is a secret, or holds one; undefined when nothing says so. */
export function printingOf({ tool, parameters, path }: ContentOrigin): Printing | undefined {
  if (path !== undefined) return ofFile(path);
  if (tool !== undefined && secretTool.test(tool)) return { prints: "fields", isAlone: true };
  if (parameters === undefined || !mayAsk(parameters)) return undefined;
  const use = tool === undefined ? undefined : toolUse(tool, parameters, undefined);
  if (use?.action === "read") return ofFile(use.path);
  const lines = use?.action === "command" ? [lineOf(use.command)] : linesIn(parameters);
  for (const line of lines) {
    const printing = ofLine(line);
    if (printing !== undefined) return printing;
  }
  return undefined;
}

/** Whether a step shows what a command of an earlier step has printed since. */
export function isPoll({ tool = "" }: ContentOrigin): boolean {
  return pollingTool.test(tool.replaceAll(/[^A-Za-z]/g, ""));
}

const pollingTool =
  /^(?:bashoutput|writestdin|readbash|taskoutput|getterminaloutput|readterminal|commandstatus)$/i;

/** `get_secret_value`, `mcp__vault__read_secret`, `keychain.getPassword`. */
const secretTool =
  /(?:^|[^a-z])(?:get|read|fetch|reveal|access|retrieve|show|lookup|decrypt)[_-]?[a-z]{0,20}[_-]?(?:secret|password|credential|api_?key|access_?token)s?(?:[_-]?(?:value|version|plain|text))?$/i;

function ofFile(path: string): Printing | undefined {
  const prints = secretFile(path);
  return prints === undefined ? undefined : { prints, isAlone: true };
}

/** Names of parameters that hold a command or a program. */
const commandNames = new Set(
  "command cmd commands script code bash shell shell_command bash_command command_line commandline input args arguments argv chars keystrokes query sql".split(
    " ",
  ),
);
const mostLines = 16;

function linesIn(parameters: JsonObject): string[] {
  const found: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (found.length >= mostLines) break;
    if (commandNames.has(name.toLowerCase())) appendAll(found, textsOf(value));
    else if (Array.isArray(value) || !isObject(value)) continue;
    else
      for (const [inner, item] of Object.entries(value))
        if (commandNames.has(inner.toLowerCase()) && found.length < mostLines)
          appendAll(found, textsOf(item));
  }
  return found;
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  if (value.every((item) => typeof item === "string")) return [lineOf(value)];
  return value
    .slice(0, mostLines)
    .filter(isObject)
    .flatMap((item) => linesIn(item));
}

/** A program and its arguments as a line. */
function lineOf(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

/** Nearly all lines have none of these in them, and are not taken apart. */
const hint =
  /pass|secret|token|cred|key|vault|pwd|psk|base64|gpg|sops|\bage\b|\bop\b|urandom|openssl|netrc|shadow|config|auth|decrypt|\bbw\b|htpasswd|pwgen|doppler|chamber|infisical|variables|jwt|salt|private|whoami|npmrc|pypirc|s3cfg|boto|my\.cnf/i;

/** Whether a call may ask for a secret: told at a glance, since there may be a million of them. */
function mayAsk(value: JsonValue, depth = 0): boolean {
  if (typeof value === "string") return isHinted(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > 3) return true;
  if (Array.isArray(value)) return value.some((item) => mayAsk(item, depth + 1));
  if (!isObject(value)) return false;
  for (const name in value) if (mayAsk(value[name] as JsonValue, depth + 1)) return true;
  return false;
}

function isHinted(text: string): boolean {
  return hint.test(text.length > longest ? text.slice(0, longest) : text);
}

function ofLine(line: string): Printing | undefined {
  if (!isHinted(line)) return undefined;
  return ofPipelines(pipelinesOf(line), new Set(), 0);
}

/** Programs that print nothing, or nothing of their own. */
const silent = new Set([
  "",
  "cd",
  "export",
  "set",
  "source",
  ".",
  "pushd",
  "popd",
  "sleep",
  "true",
  "mkdir",
  "unset",
  "done",
  "fi",
  "}",
]);

function ofPipelines(
  pipelines: readonly Pipeline[],
  secrets: Set<string>,
  depth: number,
): Printing | undefined {
  let prints: Prints | undefined;
  let others = 0;
  for (const pipeline of pipelines) {
    const own = ofPipeline(pipeline, secrets, depth);
    for (const { sets } of pipeline.stages)
      for (const { name, inner } of sets)
        if (inner.some((line) => isSecretLine(line, secrets, depth))) secrets.add(name);
    if (own !== undefined) prints = prints === undefined || rank[own] > rank[prints] ? own : prints;
    else if (!pipeline.isRedirected && !silent.has(pipeline.stages.at(-1)?.program ?? "")) others++;
  }
  return prints === undefined ? undefined : { prints, isAlone: others === 0 };
}

const rank: Readonly<Record<Prints, number>> = { maybe: 0, value: 1, fields: 2 };

function isSecretLine(line: string, secrets: Set<string>, depth: number): boolean {
  return depth < 3 && ofPipelines(pipelinesOf(line), secrets, depth + 1) !== undefined;
}

/** Programs that hand on what they read, or a part of it. */
const passing = new Set(
  "cat head tail tr cut sed awk gawk jq yq base64 base32 gbase64 tee sort uniq xargs column fold rev grep rg strings python3 python node perl echo printf less more xxd od nl paste tac openssl gpg json_pp".split(
    " ",
  ),
);

function ofPipeline(
  { stages, isRedirected }: Pipeline,
  secrets: Set<string>,
  depth: number,
): Prints | undefined {
  if (isRedirected) return undefined;
  let prints: Prints | undefined;
  for (const [at, stage] of stages.entries()) {
    const own = ofStage(stage, {
      secrets,
      depth,
      isCut: stages.slice(at + 1).some(({ program }) => /^(?:cut|g?awk|sed|tr)$/.test(program)),
    });
    if (own !== undefined && (prints === undefined || own !== "maybe")) prints = own;
    else if (own === undefined && prints !== undefined && at > 0 && !passing.has(stage.program))
      prints = undefined;
  }
  return prints;
}

interface Around {
  secrets: Set<string>;
  depth: number;
  /** A later stage takes a part of each line. */
  isCut: boolean;
}

function ofStage(stage: Stage, { secrets, depth, isCut }: Around): Prints | undefined {
  const { program, words, inner } = stage;
  const args = words.join(" ");
  if (/^(?:echo|printf|print|write-output|write-host|puts)$/.test(program) || program.startsWith("$")) {
    const names = [...`${program} ${args}`.matchAll(variable)].map(
      ([, braced, bare]) => braced ?? bare ?? "",
    );
    const isNamed = names.some((name) => secrets.has(name) || isTellingName(name));
    if (!isNamed && !inner.some((line) => isSecretLine(line, secrets, depth))) return undefined;
    return words.length <= 2 ? "value" : "fields";
  }
  if (readsFiles.test(program)) {
    const file = words.map((word) => secretFile(word)).find((prints) => prints !== undefined);
    if (file !== undefined) return file;
    if (/urandom/.test(args)) return "maybe";
    if (
      isCut &&
      /^(?:[ef]?grep|rg|ag|g?awk|sed)$/.test(program) &&
      words.some((word) => isTellingName(word.replaceAll(/^\^|[=:$].*$/g, "")))
    )
      return "value";
  }
  return programs.get(program)?.(args) ?? (program.startsWith("docker-credential-") ? "fields" : undefined);
}

/** A variable that is printed whole: not its length, a part of it, or a word in its place. */
const variable = /\$(?:env:)?(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/gi;
