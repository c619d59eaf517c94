// Lint rule: no call takes its arguments from a list of any length. Each argument takes stack: from about
// 125,000 on, `list.push(...many)` and `Math.max(...many)` throw a RangeError. Use `appendAll` and `maxOf` of
// src/base/lists.ts, or a loop. Allowed: an array literal, and a rest parameter that is passed on.

/** @param {any} node */
function isLiteral(node) {
  if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression")
    return isLiteral(node.expression);
  if (node.type === "ConditionalExpression") return isLiteral(node.consequent) && isLiteral(node.alternate);
  if (node.type !== "ArrayExpression") return false;
  return node.elements.every(
    (/** @type {any} */ item) => item?.type !== "SpreadElement" || isLiteral(item.argument),
  );
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Whether the name is the rest parameter of a function around it: the length is what its callers wrote. */
function isRestParameter(/** @type {any} */ node) {
  if (node.type !== "Identifier") return false;
  for (let at = node.parent; at != null; at = at.parent) {
    if (!functions.has(at.type)) continue;
    const last = at.params.at(-1);
    if (last?.type === "RestElement" && last.argument.name === node.name) return true;
  }
  return false;
}

const message =
  "a call with as many arguments as a list has items overflows the stack: use appendAll or maxOf (src/base/lists.ts), or a loop";

const rule = {
  create(/** @type {any} */ context) {
    const check = (/** @type {any} */ node) => {
      for (const argument of node.arguments) {
        if (argument.type !== "SpreadElement") continue;
        if (isLiteral(argument.argument) || isRestParameter(argument.argument)) continue;
        context.report({ message, node: argument });
      }
      const { callee } = node;
      const isApply = callee.type === "MemberExpression" && callee.property.name === "apply";
      if (isApply && node.arguments.length > 1 && !isLiteral(node.arguments.at(-1)))
        context.report({ message, node });
    };
    return { CallExpression: check, NewExpression: check };
  },
};

const plugin = { meta: { name: "ctx" }, rules: { "no-spread-call": rule } };

export default plugin;
