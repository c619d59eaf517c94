// The last resort for command lines that no other rule understands: whether they name, anywhere, a secret
// file, a secret variable or a call that prints a secret, in a program that may print it.
import type { Pipeline, Stage } from "../tools/shell-line.js";
import { nameOf } from "../tools/shell-stage.js";
import { isSecretLikeName, ofScript } from "./printing-judges.js";
import { judgeOf } from "./printing-programs.js"; // Lazy in bundles.
import { readsFiles, secretFile } from "./secret-files.js";

/** Programs whose output describes what they read, or comes from another machine. */
const printsOther = new Set(
  "wc sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum cksum shasum sum ls ll dir stat test [ [[ file du df chmod chown chgrp rm mkdir rmdir touch ssh-keygen ssh-add ssh-copy-id tree realpath readlink dirname basename which cmp cp mv ln install tar zip unzip gzip gunzip true false : cd export unset set source . read kill sleep wait exit return case for select function trap shift local git curl wget http xh gh glab npm yarn pnpm pip pip3 twine cargo go make psql mysql mariadb sqlite3 redis-cli mongosh scp sftp rsync helm skopeo oras pytest jest vitest tsc eslint prettier ruff mypy black gradle mvn git-crypt code jq yq base64 openssl gpg age sops vault op pass date hostname whoami id uname".split(
    " ",
  ),
);
/** Programs that use secrets, and that run other programs named in their arguments. */
const running = new Set(
  "docker podman nerdctl docker-compose kubectl oc ssh aws gcloud az heroku fly flyctl ansible salt terraform pulumi doppler dotenv dotenvx rails".split(
    " ",
  ),
);
/** Programs whose names are ordinary words. */
const words = new Set(
  "pass age op security k http vault export declare typeset readonly git type more head cut strings age npm yarn bun".split(
    " ",
  ),
);
const searching = /^(?:[ef]?grep|rg|ag|ack|g?awk|sed|fd|find)$/;
/** Most words that are tried as the beginning of a call. */
const maxCalls = 64;

/** Returns whether a line names a secret that its output may show. `isSecretLine` judges a line within it. */
export function mentionsSecret(
  pipelines: readonly Pipeline[],
  isSecretLine: (line: string) => boolean,
): boolean {
  return pipelines.some(({ stages, isRedirected }) => {
    const last = stages.at(-1);
    if (last === undefined || isRedirected || printsOther.has(last.program)) return false;
    return stages.some((stage) => isMentionedBy(stage, isSecretLine));
  });
}

function isMentionedBy(stage: Stage, isSecretLine: (line: string) => boolean): boolean {
  const { program, document } = stage;
  if (printsOther.has(program) || /^(?:echo|printf|print)$/.test(program)) return false;
  const operands = operandsOf(stage);
  if (isCall(operands)) return true;
  const texts = document === undefined || /^(?:cat|tee)$/.test(program) ? operands : [...operands, document];
  if (texts.some((text) => /[\s(]/.test(text) && isSecretText(text, isSecretLine))) return true;
  if (running.has(program) || searching.test(program)) return false;
  return operands.some((word) => isSecretPath(word) || variablesOf(word).some(isSecretLikeName));
}

/** Returns the arguments without the pattern that a program searches for. */
function operandsOf({ program, words: all }: Stage): readonly string[] {
  if (!searching.test(program) || program === "find") return all;
  const at = all.findIndex((word) => !word.startsWith("-"));
  return all.filter((_, index) => index !== at);
}

/**
 * Returns whether the arguments of a program that runs others call one that prints a secret: `docker run img
 * printenv DB_PASSWORD`.
 */
function isCall(all: readonly string[]): boolean {
  return all.slice(0, maxCalls).some((word, at) => {
    const program = nameOf(word).toLowerCase();
    if (words.has(program)) return false;
    const rest = all.slice(at + 1, at + 1 + maxCalls);
    if (readsFiles.test(program)) return rest.some((one) => secretFile(one) !== undefined);
    const prints = judgeOf(program)?.(rest, undefined);
    return prints !== undefined && prints !== "maybe";
  });
}

/** Returns whether an argument is a command line or a script that prints a secret. */
function isSecretText(text: string, isSecretLine: (line: string) => boolean): boolean {
  return isSecretCode(text) || isSecretLine(text.replace(/^[\w-]{1,40}=/, ""));
}

/** Returns whether a script reads a secret: a file, a variable, a secret store. */
export function isSecretCode(code: string): boolean {
  const prints = ofScript(code);
  if (prints !== undefined && prints !== "maybe") return true;
  if (secretCalls.test(code)) return true;
  if (!fileCalls.test(code)) return false;
  for (const [path] of code.matchAll(/[\w~./$*{}\\:-]{4,400}/g)) if (isSecretPath(path)) return true;
  return false;
}

const secretCalls =
  /\b(?:keyring\.get_password|get_secret_value|getSecretValue|access_secret_version|accessSecretVersion|read_secret(?:_version)?|get_secret|credentials\.\w+|settings\.SECRET_KEY)\b/;
const fileCalls =
  /\b(?:open|read_text|read_bytes|readFile(?:Sync)?|File\.read|IO\.read|file_get_contents|slurp|ReadFile|ReadAllText|read_to_string|Path|readText|fopen|readlines?)\b/;

/**
 * Returns whether a word is written as a path, to a secret file. A bare word such as `token` is more often
 * none.
 */
function isSecretPath(word: string): boolean {
  const path = word.replace(/^(?:--?[\w-]+=|@|if=|file:\/\/)/, "");
  return /[/\\.$]/.test(path) && secretFile(path) !== undefined;
}

function variablesOf(word: string): string[] {
  return [...word.matchAll(/\$\{?([A-Za-z_]\w{2,99})/g)].map(([, name = ""]) => name);
}
