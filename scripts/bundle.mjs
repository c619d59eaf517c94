// Makes one CommonJS file from the program's sources, and returns the packages in it: for the build of the
// package and for that of the executable.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");
export const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Programs of worker threads. */
export const workers = ["src/store/hash-worker.ts", "src/redact/worker-scan-thread.ts"];

/** Only the user's own rules for secrets need RE2: it is a file of its own, loaded when it is needed. */
export const re2 = { package: "re2js", file: "re2.cjs", required: '(import.meta.url)("re2js")' };

/** So is the MCP client, which few commands need: it is larger than all of ours. */
export const mcpClient = { package: "@modelcontextprotocol/client", file: "mcp-client.cjs" };

/**
 * The package that measures wide characters compiles its patterns when it is loaded, which takes a
 * millisecond: few texts need it.
 */
const widths = {
  imported: 'import measure from "fast-string-truncated-width";',
  required:
    'let measured; const measure = (...values) => (measured ??= require("fast-string-truncated-width").default)(...values);',
};

/**
 * An import of functions with this comment is loaded when one of them is first called: a log in ctx's own
 * format needs none of the 176 modules that read those of other agents, and loading them took a twentieth of
 * the time of `ctx pack`.
 */
const lazy = /^import \{ ([\w, ]+) \} from ("[^"]+"); \/\/ Lazy in bundles\.$/gm;

/** Returns that import as functions with the same names, which load the module when one is first called. */
function loadingLazily(_, names, path) {
  const functions = names.split(", ").map((name) => {
    const loaded = `${name}Loaded`;
    return `let ${loaded}; const ${name} = (...values) => (${loaded} ??= require(${path}).${name})(...values);`;
  });
  return functions.join(" ");
}

/**
 * Where the executable has its files: they are inside it, and the running program sees them here. A path of
 * the machine that built it must not be in it: on another machine, someone could place a file there.
 */
const inside = "/$bunfs/root/ctx.js";

/** The verbs that read agents' logs. A small program has src/cli/programs/left-out.ts in their place. */
const logReaders = /\/ops\/(?:find-session|follow|read-log)\.js$/;

/**
 * @param {{ entryPoints: string[] } | { stdin: import("esbuild").StdinOptions }} what
 * @param {{ isAlone?: boolean, isSmall?: boolean }} options `isAlone`: for the executable, which holds everything: modules are
 *   required by name, not by location; `isSmall`: without the formats of agents' logs
 */
export function bundle(what, { isAlone = false, isSmall = false } = {}) {
  return build({
    ...what,
    absWorkingDir: root,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "none",
    define: {
      CTX_VERSION: JSON.stringify(version),
      CTX_EXECUTABLE: String(isAlone),
      "import.meta.url": isAlone ? JSON.stringify(inside) : "__filename",
    },
    write: false,
    metafile: true,
    plugins: [plainRequires(isAlone), mcpClientApart, ...(isSmall ? [withoutLogReaders] : [])],
    external: [`./${re2.file}`],
    // The launcher cannot import at run time: imports become require calls.
    supported: { "dynamic-import": false },
  });
}

/** @param {{ package: string }} what a package that becomes a file of its own, of which only this name is needed */
export function bundlePackage({ package: name }, exported) {
  return bundle({ stdin: { contents: `export { ${exported} } from "${name}";`, resolveDir: root } });
}

/**
 * Without this every file that imports all of node:fs would copy its hundred functions, getter by getter, at
 * start.
 */
function plainRequires(isAlone) {
  return {
    name: "plain requires",
    setup({ onLoad }) {
      onLoad({ filter: /src\/.*\.ts$/ }, ({ path }) => {
        const contents = readFileSync(path, "utf8")
          .replaceAll(/^import \* as (\w+) from ("node:[^"]+");$/gm, "const $1 = require($2);")
          .replaceAll(lazy, loadingLazily)
          .replace(re2.required, `(import.meta.url)("./${re2.file}")`)
          .replace(widths.imported, widths.required);
        if (contents.includes("// Lazy")) throw new Error(`${path}: an import that cannot be lazy`);
        return {
          contents: isAlone ? contents.replaceAll("createRequire(import.meta.url)", "require") : contents,
          loader: "ts",
        };
      });
    },
  };
}

const mcpClientApart = {
  name: "MCP client apart",
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/client$/, namespace: "file" }, ({ importer }) =>
      importer.startsWith(join(root, "src")) ? { path: `./${mcpClient.file}`, external: true } : undefined,
    );
  },
};

const withoutLogReaders = {
  name: "without log readers",
  setup({ onResolve }) {
    onResolve({ filter: logReaders }, () => ({ path: join(root, "src/cli/programs/left-out.ts") }));
  },
};

/** Returns the licences of the packages that these bundles hold. */
export function licences(...bundles) {
  const packages = new Set();
  for (const input of bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))) {
    const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) packages.add(match[1]);
  }
  const parts = [...packages]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const { version: of, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = ["LICENSE", "LICENSE.md", "license", "LICENCE"]
        .map((f) => join(folder, f))
        .find(existsSync);
      return `${name} ${of} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : "no licence file"}\n`;
    });
  return `The program contains these packages.\n\n${parts.join("\n---\n\n")}`;
}
