// Building blocks for judging programs: names that suggest a secret, and patterns for arguments.
import { isTellingName } from "./telling-names.js";

/**
 * `value`: nothing but a secret. `fields`: secrets beside their names. `maybe`: a text that counts only if it
 * looks like a secret.
 */
export type Prints = "value" | "fields" | "maybe";

const secretLikeName =
  /(?:pass(?:word|wd|phrase|code)?|secret|token|credentials?|creds|pwd|(?:api|access|auth|private|secret|signing|encryption|master|account|service|license|app)[-_]?key|psk|jwt)(?:[-_]?(?:\d{1,3}|value|data|string|plain))?$/i;

/**
 * Returns whether a variable, column or member of this name holds a secret: `DB_PASSWORD`, `clientSecret`,
 * not `token_count` or `max_tokens`.
 */
export function isSecretLikeName(name: string): boolean {
  return name.length <= 100 && secretLikeName.test(name);
}

/**
 * Returns what a variable of this name holds: `maybe` for names such as `STRIPE_KEY`, whose value is judged
 * as in `STRIPE_KEY=value`.
 */
export function ofVariable(name: string): Prints | undefined {
  if (isSecretLikeName(name)) return "value";
  return isTellingName(name) ? "maybe" : undefined;
}

/** Returns what those of these variables hold that hold the most. */
export function ofVariables(names: readonly string[]): Prints | undefined {
  const held = names.map(ofVariable);
  return held.includes("value") ? "value" : held.find((prints) => prints !== undefined);
}

export function hasSecretLikeName(args: string): boolean {
  return args.split(/\s+/).some((word) => !word.startsWith("-") && isSecretLikeName(word));
}

/**
 * Returns whether the last part of a path through a document names a secret: `.db.password`,
 * `.data["api-key"]`,
 * `.token | @base64d`.
 */
export function selectsSecret(args: string): boolean {
  return [...args.matchAll(/[.[]["']?([A-Za-z_][\w-]{1,60})["']?\]?(?=\s|$|[|/),}])/g)].some(
    ([, name = ""]) => isSecretLikeName(name),
  );
}

/** Judges a program by its arguments, joined and one by one. */
export type Judge = (args: string, words: readonly string[]) => Prints | undefined;

export function when(pattern: RegExp, prints: Prints): Judge {
  return (args) => (pattern.test(args) ? prints : undefined);
}
/** Returns the first answer of several judges. */
export function first(...judges: Judge[]): Judge {
  return (args, words) => {
    for (const judge of judges) {
      const prints = judge(args, words);
      if (prints !== undefined) return prints;
    }
    return undefined;
  };
}

export const always =
  (prints: Prints): Judge =>
  () =>
    prints;
/**
 * Returns `prints` when each pattern matches one of the words, in any order. A single pattern spanning
 * several words would take time quadratic in the length of a line.
 */
export function whenAll(patterns: readonly RegExp[], prints: Prints): Judge {
  return (_, words) =>
    patterns.every((pattern) => words.some((word) => pattern.test(word))) ? prints : undefined;
}

const script: Judge = first(
  (args) =>
    ofVariables(
      [
        ...args.matchAll(
          /(?:environ|getenv|process[.]env|\benv\b|ENV|_ENV)(?:\.get)?\W{1,4}([A-Za-z_]\w{2,60})/g,
        ),
      ].map(([, name = ""]) => name),
    ),
  (args) => {
    if (!/print|console\.log|puts|echo|-p\b/.test(args) || !selectsSecret(args)) return undefined;
    // `parser.token` is a language token more often than a secret.
    return selectsSecret(args.replaceAll(/(?<=\w)\.token\b/g, "")) ? "value" : "maybe";
  },
  when(
    /\bsecrets\.(?:token_|choice)|randomBytes|SecureRandom|generate_key|b64decode|from\([^)]{0,80}base64/,
    "maybe",
  ),
);

/** Returns what a script prints: `print(os.environ["DB_PASSWORD"])`, `ENV["TOKEN"]`. */
export function ofScript(code: string): Prints | undefined {
  return script(code, []);
}
