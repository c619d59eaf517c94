// Completes package-lock.json. Tools with native code have a package for each platform, and a registry mirror
// may hold only some of them; npm then leaves the others out of the lock file, and `npm ci` refuses it. What
// an entry needs follows from the package's name: it is installed only where it fits. To be run after a
// change of dependencies.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const path = join(dirname(fileURLToPath(import.meta.url)), "..", "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
let added = 0;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const entry = `node_modules/${name}`;
    if (lock.packages[entry] !== undefined || lock.packages[`${path}/${entry}`] !== undefined) continue;
    lock.packages[entry] = { version, ...platformOf(name), ...(dev && { dev }), optional: true };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added to the lock file`);

/** @param {string} name such as `@biomejs/cli-linux-arm64-musl` */
function platformOf(name) {
  const systems = "android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|aix|win32";
  const match = new RegExp(`(?:^|[-/])(${systems}|wasm32)-([a-z0-9]+)(?:-([a-z]+))?$`).exec(name);
  if (match === null) throw new Error(`${name} does not say which platform it is for`);
  const [, system, cpu, variant = ""] = match;
  if (system === "wasm32") return { cpu: ["wasm32"] };
  const libc = variant.startsWith("musl")
    ? { libc: ["musl"] }
    : variant.startsWith("gnu")
      ? { libc: ["glibc"] }
      : {};
  return { cpu: [cpu], os: [system], ...libc };
}
