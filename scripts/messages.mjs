// `node scripts/messages.mjs [folder]…`: lists the texts in src that users may read, one per line with its
// location and what it is: an error with its code, a hint, a summary, otherwise the function that has it. For
// reading all in one sitting.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { root } from "./load.mjs";

// TypeScript 7 parses in a process of its own; the generator of schemas brings the version that is a library.
const ts = createRequire(createRequire(import.meta.url).resolve("ts-json-schema-generator"))("typescript");
const folders = process.argv.length > 2 ? process.argv.slice(2) : ["src"];
const { SyntaxKind: Kind } = ts;
let count = 0;

for (const path of folders.flatMap((folder) => sources(join(root, folder)))) {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  visit(file, file);
}
console.log(`${count} texts`);

function sources(path) {
  if (path.endsWith(".ts")) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => join(path, name));
}

function visit(node, file) {
  if (isText(node)) {
    const text = textOf(node, file);
    if (isForPeople(node, text)) {
      count++;
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      console.log(`${relative(root, file.fileName)}:${line + 1}\t${roleOf(node)}\t${text}`);
    }
  }
  ts.forEachChild(node, (child) => visit(child, file));
}

function isText(node) {
  return (
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
  );
}

/** Returns a literal as it is written, on one line, with {…} for what is put into it. */
function textOf(node, file) {
  if (!ts.isTemplateExpression(node)) return JSON.stringify(node.text).slice(1, -1);
  const parts = node.templateSpans.map(
    ({ expression, literal }) => `{${expression.getText(file).replaceAll(/\s+/g, " ")}}${literal.text}`,
  );
  return JSON.stringify(node.head.text + parts.join(""))
    .slice(1, -1)
    .replaceAll('\\"', '"');
}

/**
 * Returns whether a text reads like one for people: several words, or a place where even one word is shown.
 */
function isForPeople(node, text) {
  for (let at = node; at !== undefined; at = at.parent) {
    if (ts.isImportDeclaration(at) || ts.isTypeNode(at)) return false;
    if (ts.isNewExpression(at) && at.expression.getText() === "CtxError")
      return node !== at.arguments[0] && /[a-z]/.test(text);
  }
  return /[a-z]{2,}[ ,:]+[a-z{"`]|[}"`)] [a-z]{2}/i.test(text);
}

/**
 * Returns what a text is: "error <code>", the name of its property, or that of the function or constant
 * around it.
 */
function roleOf(node) {
  for (let at = node.parent, below = node; at !== undefined; below = at, at = at.parent) {
    if (ts.isPropertyAssignment(at) && at.initializer === below) return at.name.getText().replaceAll('"', "");
    if (ts.isNewExpression(at) && at.expression.getText() === "CtxError")
      return `error ${at.arguments[0].text ?? at.arguments[0].getText()}`;
    if (ts.isNewExpression(at)) return `new ${at.expression.getText()}`;
    if (
      at.kind === Kind.FunctionDeclaration ||
      at.kind === Kind.MethodDeclaration ||
      ts.isVariableDeclaration(at)
    )
      return `in ${at.name.getText()}`;
  }
  return "";
}
