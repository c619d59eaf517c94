// The licences of what the program is made of. The build lays them beside it, and into the executable, which is often handed on alone.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Nothing where nothing was built. */
export function licences(): string {
  const here = import.meta.url.startsWith("file:") ? fileURLToPath(import.meta.url) : import.meta.url;
  const file = join(dirname(here), "THIRD-PARTY.txt");
  return fs.existsSync(file) ? `\n${fs.readFileSync(file).toString("utf8")}` : "";
}
