// What kubectl, oc and terraform print, judged by words: their options may be anywhere in a line.
import { first, isSecretLikeName, type Judge, whenAll } from "./printing-judges.js";

/** `secret`, `Secrets/db`, `cm,secret`, `secrets.v1`. */
const secretKind = /^(?:[\w.,-]*,)?secrets?(?:$|[/,.])/i;

export const kubernetes: Judge = first(
  (args, words) => {
    const isShown = words.includes("get") || words.includes("edit");
    if (!isShown || !words.some((word) => secretKind.test(word))) return undefined;
    // Names, labels and annotations are about the secret.
    const isAbout = /\.metadata\b|\.type\b/.test(args) && !/\.(?:data|stringData)\b|\[["']data/.test(args);
    if (/jsonpath|go-template|--template|custom-columns/.test(args)) return isAbout ? undefined : "fields";
    return words.includes("edit") || /(?:-o|--output)[= ]?(?:ya?ml|json)/.test(args) ? "fields" : undefined;
  },
  whenAll([/^view-secret$/], "fields"),
  (_, words) => (words.includes("extract") && writesToOutput(words) ? "fields" : undefined),
  (args, words) => {
    if (/\bcreate token\b|\bserviceaccounts? get-token\b/.test(args)) return "value";
    const isToken = words.some((word) => word === "-t" || word === "--show-token");
    return words.includes("whoami") && isToken ? "value" : undefined;
  },
  (args, words) => (/\bconfig view\b/.test(args) && words.includes("--raw") ? "fields" : undefined),
);

/** `--to=-`, `--to -`. */
function writesToOutput(words: readonly string[]): boolean {
  return words.some((word, at) => word === "--to=-" || (word === "--to" && words[at + 1] === "-"));
}

export const terraform: Judge = (_, words) => {
  const at = words.indexOf("output");
  if (at === -1) return undefined;
  const behind = words.slice(at + 1);
  const name = behind.find((word) => /^[\w.][\w.-]*$/.test(word));
  const isRaw = behind.some((word) => /^--?raw$/.test(word));
  if (name !== undefined) {
    if (!isSecretLikeName(name)) return "maybe";
    return isRaw ? "value" : "fields";
  }
  return behind.some((word) => /^--?json$/.test(word)) ? "fields" : undefined;
};
