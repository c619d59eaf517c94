// Caches of packages on the user's machine, from which toolchains build without a network. They may hold private code,
// and the files beside them may hold tokens: only the named folders are shown, read-only, and only with `--deps`.
import * as fs from "node:fs";
import { join } from "node:path";
import type { SandboxDir } from "./sandbox-dir.js";
import { isOpenToAll } from "./toolchain-folders.js";

interface PackageCache {
  /** A file at the top of a checkout that says that its project uses the cache. */
  project: string;
  /** Below the home. */
  folders: readonly string[];
  variables: (home: string) => Record<string, string>;
}

const caches: readonly PackageCache[] = [
  {
    project: "go.mod",
    folders: ["go/pkg/mod"],
    // Without the last one, go tries to download another version of itself.
    variables: (home) => ({ GOMODCACHE: join(home, "go/pkg/mod"), GOPROXY: "off", GOTOOLCHAIN: "local" }),
  },
  {
    project: "Cargo.toml",
    folders: [".cargo/registry/index", ".cargo/registry/src", ".cargo/registry/cache"],
    variables: (home) => ({ CARGO_HOME: join(home, ".cargo"), CARGO_NET_OFFLINE: "true" }),
  },
  {
    project: "pom.xml",
    folders: [".m2/repository"],
    variables: (home) => ({ MAVEN_ARGS: `-o -Dmaven.repo.local=${join(home, ".m2/repository")}` }),
  },
];

/** Shows programs the caches that the project of a checkout uses; returns their folders. */
export function addCaches(checkout: string, home: string, box: SandboxDir): string[] {
  for (const { project, folders, variables } of caches) {
    if (fs.lstatSync(join(checkout, project), { throwIfNoEntry: false })?.isFile() !== true) continue;
    for (const name of folders) {
      const folder = join(home, name);
      if (!isPlainFolder(home, name) || (box.user !== undefined && !isOpenToAll(folder))) continue;
      box.caches.push({ folder, variables: variables(home) });
    }
  }
  return box.caches.map(({ folder }) => folder);
}

/** Returns whether each part of a path below a home is a folder: a link could lead to another one. */
function isPlainFolder(home: string, name: string): boolean {
  const parts = name.split("/");
  return parts.every(
    (_, at) =>
      fs.lstatSync(join(home, parts.slice(0, at + 1).join("/")), { throwIfNoEntry: false })?.isDirectory() ===
      true,
  );
}
