// Decides whether a secret reaches the output of a command line, through pipelines, variables, files and
// scripts.
import { parseShellLine, type Pipeline, type Stage } from "../tools/shell-line.js";
import { isShell, scriptOf } from "../tools/shell-stage.js";
import { PrintingState } from "./printing-state.js";
import { isSecretCode, mentionsSecret } from "./printing-mentions.js";
import { isSecretLikeName, ofVariables, type Prints } from "./printing-judges.js";
import { isLanguage, judgeOf } from "./printing-programs.js"; // Lazy in bundles.
import { isSettingsFile, readsFiles, secretFile } from "./secret-files.js";

export interface Printing {
  /**
   * `value`: nothing but a secret. `fields`: secrets beside their names. `maybe`: a text that counts only if
   * it looks like a secret.
   */
  prints: Prints;
  /** Nothing else prints into the same output. */
  isAlone: boolean;
}

/** Nearly all lines contain none of these, and are not parsed. */
const hint =
  /pass|secret|token|cred|key|vault|pwd|psk|base64|gpg|sops|\bage\b|\bop\b|urandom|openssl|netrc|shadow|config|auth|decrypt|\bbw\b|htpasswd|pwgen|doppler|chamber|infisical|variables|jwt|salt|private|whoami|npmrc|pypirc|s3cfg|boto|my\.cnf|id_(?:rsa|dsa|ecdsa|ed25519)|genkey|_pat\b|_pk\b|pw\b|(?<![\w)\]])\.env\b|\brbw\b|env:get|output\s+--?(?:json|raw)|nmconnection|wpa_supplicant|\beb printenv|\bcf env\b|\bteller\b|saml2aws|envchain|conjur|granted/i;

const maxDepth = 4;
/** More than this of one call is not examined. */
const maxExaminedLength = 1 << 20;

export function isHinted(text: string): boolean {
  return hint.test(text.length > maxExaminedLength ? text.slice(0, maxExaminedLength) : text);
}

export function ofLine(line: string): Printing | undefined {
  const examined = line.length > maxExaminedLength ? line.slice(0, maxExaminedLength) : line;
  if (!isHinted(examined)) return undefined;
  const state = new PrintingState();
  const pipelines = pipelinesOf(examined);
  const own = ofPipelines(pipelines, state, 0) ?? ofExpression(examined);
  if (own !== undefined && own.prints !== "maybe")
    return examined === line ? own : { ...own, isAlone: false };
  const isMentioned = mentionsSecret(pipelines, (inner) => isHinted(inner) && isSecretLine(inner, state, 1));
  return isMentioned ? { prints: "fields", isAlone: false } : own;
}

/** Returns the pipelines of a line; of its script, where the only stage is a shell that runs one. */
function pipelinesOf(line: string, depth = 0): Pipeline[] {
  if (depth > maxDepth) return [];
  return parseShellLine(line).pipelines.flatMap((pipeline) => {
    const [only, second] = pipeline.stages;
    const script = only !== undefined && second === undefined ? scriptOf(only) : undefined;
    return script === undefined ? [pipeline] : pipelinesOf(script, depth + 1);
  });
}

/** Judges expressions of PowerShell. */
function ofExpression(line: string): Printing | undefined {
  const names = [
    ...line.matchAll(/GetEnvironmentVariable\(\s*["'](\w{1,100})["']|\benv:[\\/]?(\w{1,100})/gi),
  ];
  const isPrinted = /(?:^|[;\n("'])\s*\(?(?:\[|get-|gi\b|gci\b)/i.test(line);
  const prints = isPrinted ? ofVariables(names.map(([, a, b]) => a ?? b ?? "")) : undefined;
  if (prints !== undefined) return { prints, isAlone: true };
  return /FromBase64String/i.test(line) && /GetString/i.test(line)
    ? { prints: "maybe", isAlone: true }
    : undefined;
}

/** Programs that print nothing. */
const silent = new Set([
  "",
  ..."cd export set source . pushd popd sleep true mkdir unset done fi } for while read if test [ [[ case esac cp mv ln chmod wait".split(
    " ",
  ),
]);

function ofPipelines(
  pipelines: readonly Pipeline[],
  state: PrintingState,
  depth: number,
): Printing | undefined {
  noteLoops(pipelines, state);
  let prints: Prints | undefined;
  let others = 0;
  for (const pipeline of pipelines) {
    const printed = ofPipeline(pipeline, state, depth);
    note(pipeline, { state, depth, printed });
    const own = pipeline.isRedirected ? undefined : printed;
    if (own !== undefined) prints = prints === undefined || rank[own] > rank[prints] ? own : prints;
    else if (!pipeline.isRedirected && !silent.has(pipeline.stages.at(-1)?.program ?? "")) others++;
  }
  return prints === undefined ? undefined : { prints, isAlone: others === 0 };
}

const rank: Readonly<Record<Prints, number>> = { maybe: 0, value: 1, fields: 2 };

function isSecretLine(line: string, state: PrintingState, depth: number): boolean {
  return depth < 3 && ofPipelines(pipelinesOf(line), state, depth + 1) !== undefined;
}

/** Notes variables of `while read x; do …; done < file`: the file is named at the end. */
function noteLoops(pipelines: readonly Pipeline[], state: PrintingState): void {
  const stages = pipelines.flatMap(({ stages: some }) => some);
  if (
    !stages.some(
      ({ program, input }) => program === "done" && input !== undefined && secretFile(input) !== undefined,
    )
  )
    return;
  for (const { program, words } of stages)
    if (program === "read") for (const word of words) state.secrets.add(word);
}

/** Notes the state that a pipeline leaves for those after it. */
function note(
  { stages }: Pipeline,
  { state, depth, printed }: { state: PrintingState; depth: number; printed: Prints | undefined },
): void {
  for (const [at, { program, words, sets, input, target, document }] of stages.entries()) {
    if (program === "cd" || program === "pushd")
      state.isInSecrets = state.file(`${words.at(-1) ?? ""}/x`) !== undefined;
    if (
      /^(?:cp|mv|ln|install|rsync|scp)$/.test(program) &&
      words.slice(0, -1).some((word) => isSecretPath(word, state))
    ) {
      const to = words.at(-1) ?? "";
      state.files.add(to.replace(/\/$/, ""));
    }
    const text = target === undefined ? undefined : writtenBy(stages[at] as Stage);
    if (target !== undefined && text !== undefined) state.setScript(target, text);
    if (program === "tee" && document !== undefined)
      for (const word of words) if (!word.startsWith("-")) state.setScript(word, document);
    for (const { name, inner, text } of sets)
      if (inner.some((line) => isSecretLine(line, state, depth))) state.secrets.add(name);
      else state.setText(name, text);
    if (program === "for" && words[1] === "in")
      state.setText(
        words[0] ?? "",
        words.slice(2).find((word) => secretFile(word) !== undefined) ?? words[2] ?? "",
      );
    const isSecretInput =
      (input !== undefined && state.file(input) !== undefined) || (at > 0 && printed !== undefined);
    if (/^(?:read|mapfile|readarray)$/.test(program) && isSecretInput)
      for (const word of words) if (/^[A-Za-z_]\w*$/.test(word)) state.secrets.add(word);
    if (target !== undefined && target !== "/dev/null" && printed !== undefined) state.files.add(target);
    if (target !== undefined && document !== undefined) state.setScript(target, document);
    if (program === "tee" && printed !== undefined) for (const word of words) state.files.add(word);
    if (/^(?:pbcopy|clip|xclip|wl-copy)$/.test(program) && at > 0) state.files.add("clipboard");
  }
}

/** Returns whether a path is a secret file or a folder of them. */
function isSecretPath(word: string, state: PrintingState): boolean {
  return state.file(word) !== undefined || state.file(`${word}/x`) !== undefined;
}

/** Returns the text that a stage prints, where that is written in the line itself. */
function writtenBy({ program, words, document }: Stage): string | undefined {
  if (/^(?:echo|printf)$/.test(program))
    return words
      .filter((word) => !/^-[neE]+$/.test(word))
      .join(" ")
      .replaceAll("\\n", "\n");
  return program === "cat" ? document : undefined;
}

/** Returns the script that a shell reads from the stages before it. */
function pipedTo(stage: Stage, before: readonly Stage[]): string | undefined {
  const [first, second] = before;
  if (first === undefined || !isShell(stage.program) || !stage.words.every((word) => word.startsWith("-")))
    return undefined;
  const text = writtenBy(first);
  const isDecoded = second?.program === "base64" && /(?:^| )(?:-d|-D|--decode)/.test(second.words.join(" "));
  return isDecoded && text !== undefined ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** Programs that pass on what they read, or a part of it. */
const passing = new Set(
  "cat head tail tr cut sed awk gawk jq yq base64 base32 gbase64 tee sort uniq xargs column fold rev grep rg strings python3 python node perl echo printf less more xxd od nl paste tac openssl gpg json_pp".split(
    " ",
  ),
);

function ofPipeline({ stages: written }: Pipeline, state: PrintingState, depth: number): Prints | undefined {
  const stages = written.map((stage) => state.expanded(stage));
  let prints: Prints | undefined;
  const lastCut = stages.findLastIndex(({ program }) => /^(?:cut|g?awk|sed|tr)$/.test(program));
  const listed = stages.findIndex(
    ({ program, words }) =>
      /^(?:find|ls|fd)$/.test(program) && words.some((word) => isSecretPath(word, state)),
  );
  for (const [at, stage] of stages.entries()) {
    const script = at > 0 && depth < 3 ? pipedTo(stage, stages.slice(0, Math.min(at, 2))) : undefined;
    const isListed =
      listed !== -1 && at > listed && stage.wrappers.includes("xargs") && readsFiles.test(stage.program);
    const own =
      script === undefined
        ? (ofStage(stage, { state, depth, isCut: lastCut > at }) ?? (isListed ? "value" : undefined))
        : ofPipelines(pipelinesOf(script), state, depth + 1)?.prints;
    if (own !== undefined && (prints === undefined || own !== "maybe")) prints = own;
    else if (own === undefined && prints !== undefined && at > 0 && !passing.has(stage.program))
      prints = undefined;
  }
  return prints;
}

interface StageContext {
  state: PrintingState;
  depth: number;
  /** A later stage extracts a part of each line. */
  isCut: boolean;
}

function ofStage(stage: Stage, context: StageContext): Prints | undefined {
  const { program, words, document, inner } = stage;
  const { state, depth } = context;
  const file = words.find((word) => !word.startsWith("-"));
  const isRun = isShell(program) || program === "source" || program === ".";
  const written = isRun || isLanguage(program) ? file : program;
  const saved = written === undefined ? undefined : state.script(written);
  if (saved !== undefined && isSecretCode(saved)) return "value";
  const script = scriptOf(stage) ?? saved;
  if (script !== undefined)
    return depth < 3 ? ofPipelines(pipelinesOf(script), state, depth + 1)?.prints : undefined;
  if (/^(?:echo|printf|print|write-output|write-host|puts)$/.test(program) || /^[$%]/.test(program))
    return ofEcho(stage, context);
  if (/^(?:cat|tee)$/.test(program) && document !== undefined) {
    const names = variablesIn(document);
    const lines = [...inner, ...substitutionsIn(document)];
    if (names.some((name) => isSecretName(name, state))) return "fields";
    if (lines.some((line) => isSecretLine(line, state, depth))) return "fields";
    const held = ofVariables(names);
    if (held !== undefined) return held;
  }
  if (/^(?:pbpaste|xclip|wl-paste|get-clipboard)$/.test(program) && state.files.has("clipboard"))
    return "value";
  if (
    program === "find" &&
    words.some((word) => /^-exec(?:dir)?$/.test(word)) &&
    words.some((word) => readsFiles.test(word))
  )
    return words.map((word) => secretFile(`${word}/x`)).find((prints) => prints !== undefined);
  const read = readsFiles.test(program) ? ofFiles(stage, context) : undefined;
  return read ?? judgeOf(program)?.(words, document);
}

/** Returns the command substitutions of a here-document that contain no others. */
function substitutionsIn(document: string): string[] {
  return [...document.matchAll(/\$\(([^()]{1,2000})\)|`([^`]{1,2000})`/g)].map(([, a, b]) => a ?? b ?? "");
}

function isSecretName(name: string, state: PrintingState): boolean {
  return state.secrets.has(name) || isSecretLikeName(name);
}

function ofEcho({ program, words, inner }: Stage, { state, depth }: StageContext): Prints | undefined {
  const names = variablesIn([program, ...words].join(" "));
  const isNamed = names.some((name) => isSecretName(name, state));
  if (isNamed || inner.some((line) => isSecretLine(line, state, depth)))
    return words.length <= 2 ? "value" : "fields";
  if (ofVariables(names) === undefined) return undefined;
  // Beside other text, only random words are a secret.
  return words.every((word) => !/\s/.test(word.trim())) ? "maybe" : "fields";
}

function ofFiles({ program, words }: Stage, { state, isCut }: StageContext): Prints | undefined {
  const isSearch = /^(?:[ef]?grep|rg|ag|g?awk|sed)$/.test(program);
  const pattern = isSearch && words.length > 1 ? words.findIndex((word) => !word.startsWith("-")) : -1;
  for (const [at, word] of words.entries()) {
    const prints =
      at === pattern ? undefined : (state.file(word) ?? (isSearch ? secretFile(`${word}/x`) : undefined));
    if (prints !== undefined) return prints;
  }
  if (words.some((word) => word.includes("urandom"))) return "maybe";
  const isTaken = isCut || program === "cut" || /\bprint\b/.test(words[pattern] ?? "");
  if (isTaken && words.some((word, at) => at !== pattern && isSettingsFile(word))) return "maybe";
  if (!isSearch) return undefined;
  if (isCut && words.some((word) => isSecretLikeName(word.replaceAll(/^\^|[=:$].*$/g, "")))) return "value";
  // Expressions that extract the value behind its name.
  const isValue = words.some((word) =>
    [...word.matchAll(takingValue)].some(([, a, b, c]) => isSecretLikeName(a ?? b ?? c ?? "")),
  );
  return isValue ? "value" : undefined;
}

/** `s/^NAME=//`, `/NAME/{print $2}`, `(?<=NAME=)`, `NAME=\K`. */
const takingValue =
  /^s(?:[/|#,]).{0,6}?\b(\w{3,80})\W{1,8}[^/|#,]{0,20}[/|#,]|(\w{3,80})\W{0,4}\/\s*\{[^}]{0,80}print|(\w{3,80})\s*[=:]\W{0,4}(?:\)|\\K)/g;

/**
 * Returns the variables that are printed whole or in part: not those of which the length or a substitute is
 * printed.
 */
function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].map(([, braced, bare, percent]) => braced ?? bare ?? percent ?? "");
}

const variable =
  /\$(?:env:)?(?:\{!?(?:env:)?([A-Za-z_]\w*)(?:\}|(?!:?\+)[^}\w])|([A-Za-z_]\w*))|%([A-Za-z_]\w*)%/gi;
