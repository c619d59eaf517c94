// What a stranger gets: the packed tarball, installed into an empty folder, runs and can be imported.
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository, run } from "../../dev/built.js";
import { tempFolder } from "../../dev/folders.js";

describe("the package", () => {
  it("the npm package installs from its tarball, runs, and imports as a library", () => {
    const folder = tempFolder();
    const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
      cwd: repository,
    });
    expect(packed.status, packed.stderr).toBe(0);
    const listing = JSON.parse(packed.stdout) as unknown;
    const [about] = (Array.isArray(listing) ? listing : Object.values(listing as object)) as {
      filename: string;
      files: { path: string }[];
    }[];
    expect(fs.readFileSync(join(repository, "README.md"), "utf8")).toContain(`i -g ./${about?.filename}\n`);
    const paths = (about?.files ?? []).map(({ path }) => path);
    for (const path of [
      "dist/ctx.cjs",
      "dist/lib/index.js",
      "dist/lib/index.d.ts",
      "dist/THIRD-PARTY.txt",
      "LICENSE",
      "README.md",
      "CHANGELOG.md",
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => /^(?:src|test|bench|scripts)\//.test(path))).toEqual([]);
    // What runs is what can be read: V8's code caches are made where the program is used.
    expect(paths.filter((path) => /cache$/i.test(path))).toEqual([]);
    expect(paths.filter((path) => path.startsWith("dist/") && !/\.(?:c?js|d\.ts|txt)$/.test(path))).toEqual(
      [],
    );

    fs.writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
    const installed = run(
      "npm",
      ["install", "--offline", "--no-audit", "--no-fund", `./${about?.filename}`],
      { cwd: folder },
    );
    expect(installed.status, installed.stderr).toBe(0);
    expect(installed.stderr).not.toContain("install-scripts");
    expect(fs.readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "contextsubstrate",
    ]);
    const { version } = JSON.parse(fs.readFileSync(join(repository, "package.json"), "utf8")) as {
      version: string;
    };
    expect(run("npx", ["--no-install", "ctx", "--version"], { cwd: folder }).stdout).toBe(`ctx ${version}\n`);

    fs.writeFileSync(
      join(folder, "use.js"),
      `import { CtxError, Store, init, log, pack, show } from "contextsubstrate";
      init(".");
      const store = Store.find(".");
      const bytes = Buffer.from(JSON.stringify({ created: "2026-01-01T00:00:00Z", model: { identifier: "m" }, system_prompt: "", environment: { os: "linux", runtime: "node" } }));
      const { uri, new: isNew } = pack(store, { bytes, folder: "." });
      try { pack(store, { file: "none" }); } catch (error) { if (!(error instanceof CtxError)) throw error; }
      console.log(JSON.stringify([uri, isNew, log(store).total, show(store, uri).model.identifier]));`,
    );
    const used = run(process.execPath, ["use.js"], { cwd: folder });
    expect(used.stderr).toBe("");
    expect(JSON.parse(used.stdout)).toEqual([expect.stringMatching(/^ctx:\/\//), true, 1, "m"]);
  });

  it("npm has no script of the package to warn of when it is installed or linked", () => {
    const { scripts } = JSON.parse(fs.readFileSync(join(repository, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    // npm 11 asks users to allow these. `dependencies` builds after `npm ci`, and `prepack` before `npm
    // pack`.
    for (const name of ["preinstall", "install", "postinstall", "prepare"])
      expect(scripts).not.toHaveProperty(name);
    expect(scripts).toMatchObject({ dependencies: scripts["build"], prepack: scripts["build"] });
  });

  it("package-lock.json names no registry, and has every platform's packages (if not: node scripts/lock.mjs)", () => {
    const text = fs.readFileSync(join(repository, "package-lock.json"), "utf8");
    expect(text).not.toMatch(/"resolved": "http/);
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined &&
          packages[`${place}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  it("the built program runs on its own, without node_modules", () => {
    const folder = tempFolder();
    fs.cpSync(join(repository, "dist"), folder, { recursive: true });
    const here = join(folder, "ctx.cjs");
    expect(run(here, ["--version"], { cwd: folder }).stdout).toMatch(/^ctx \d/);
    expect(run(here, ["nonsense"], { cwd: folder }).status).toBe(2);
    const help = run(here, ["--help"], { cwd: folder });
    expect(help.status).toBe(0);
  });
});
