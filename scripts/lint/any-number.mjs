// Lint rules for lists whose length a pack, log or store decides. Each rule forbids what works for a few
// items, and overflows the stack or takes hours for a million. src/base/lists.ts has what to use instead.
//
// no-spread-call: each argument of a call takes stack. From about 125,000 on, `list.push(...many)` and
// `Math.max(...many)` throw a RangeError. Allowed: an array literal, and a rest parameter that is passed on.
// no-copy-append: `map.set(key, [...(map.get(key) ?? []), item])` copies the list for each item.
// no-shift: `list.shift()` moves all other items of the list.

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

/**
 * Returns whether the name is the rest parameter of a function around it: its callers wrote as many
 * arguments.
 */
function isRestParameter(/** @type {any} */ node) {
  if (node.type !== "Identifier") return false;
  for (let at = node.parent; at != null; at = at.parent) {
    if (!functions.has(at.type)) continue;
    const last = at.params.at(-1);
    if (last?.type === "RestElement" && last.argument.name === node.name) return true;
  }
  return false;
}

const spreadMessage =
  "a call with as many arguments as a list has items overflows the stack: use appendAll or maxOf (src/base/lists.ts), or a loop";

const noSpreadCall = {
  create(/** @type {any} */ context) {
    const check = (/** @type {any} */ node) => {
      for (const argument of node.arguments) {
        if (argument.type !== "SpreadElement") continue;
        if (isLiteral(argument.argument) || isRestParameter(argument.argument)) continue;
        context.report({ message: spreadMessage, node: argument });
      }
      const { callee } = node;
      const isApply = callee.type === "MemberExpression" && callee.property.name === "apply";
      if (isApply && node.arguments.length > 1 && !isLiteral(node.arguments.at(-1)))
        context.report({ message: spreadMessage, node });
    };
    return { CallExpression: check, NewExpression: check };
  },
};

/** Returns whether a call is one of the method `name`. */
function isMethod(/** @type {any} */ node, /** @type {string} */ name) {
  return node.callee.type === "MemberExpression" && node.callee.property.name === name;
}

const noCopyAppend = {
  create(/** @type {any} */ context) {
    return {
      CallExpression(/** @type {any} */ node) {
        const [, list] = node.arguments;
        if (!isMethod(node, "set") || list?.type !== "ArrayExpression") return;
        const [first] = list.elements;
        if (first?.type !== "SpreadElement") return;
        const text = context.sourceCode.getText(first);
        if (text.includes(".get("))
          context.report({
            message: "this copies the list for each item: use addTo (src/base/lists.ts)",
            node,
          });
      },
    };
  },
};

const noShift = {
  create(/** @type {any} */ context) {
    return {
      CallExpression(/** @type {any} */ node) {
        if (isMethod(node, "shift") && node.arguments.length === 0)
          context.report({ message: "shift moves all other items: use Queue (src/base/lists.ts)", node });
      },
    };
  },
};

const rules = { "no-spread-call": noSpreadCall, "no-copy-append": noCopyAppend, "no-shift": noShift };
const plugin = { meta: { name: "ctx" }, rules };

export default plugin;
