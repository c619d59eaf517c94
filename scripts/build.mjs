// Builds the program (one minified CommonJS file, so that it starts fast), the library (plain ESM with
// types) and the licences of what is bundled. Everything lands in dist/ by a rename of each part, so that a
// test run beside a build never sees half a program.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
mkdirSync(dist, { recursive: true });

const bundle = await build({
  absWorkingDir: root,
  entryPoints: ["src/cli/program.ts"],
  outfile: `dist/.ctx-${process.pid}.cjs`,
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  legalComments: "none",
  banner: { js: "#!/usr/bin/env node" },
  define: { CTX_VERSION: JSON.stringify(version) },
  metafile: true,
});
const built = join(dist, `.ctx-${process.pid}.cjs`);
chmodSync(built, 0o755);

const staged = join(dist, `.lib-${process.pid}`);
const tsc = join(root, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", "tsconfig.lib.json", "--outDir", staged], {
  cwd: root,
  stdio: "inherit",
});
rmSync(join(dist, "lib"), { recursive: true, force: true });
renameSync(staged, join(dist, "lib"));
renameSync(built, join(dist, "ctx.cjs"));
writeFileSync(join(dist, "THIRD-PARTY.txt"), licences(Object.keys(bundle.metafile.inputs)));

function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
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
  return `The program dist/ctx.cjs contains these packages.\n\n${parts.join("\n---\n\n")}`;
}
