// Lets the scripts use the project's TypeScript sources as they are, without a build.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Imports TypeScript sources, with everything that they need, as one module. */
export async function load(files) {
  const bundle = await build({
    stdin: { contents: files.map((file) => `export * from "${file}";`).join("\n"), resolveDir: root },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString("base64")}`
  );
}
