// Reads the licences of the packages in the program. The build puts them beside it, and into the executable,
// which people often pass on alone.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the licences, or "" when running from source. */
export function licences(): string {
  const here = import.meta.url.startsWith("file:") ? fileURLToPath(import.meta.url) : import.meta.url;
  const file = join(dirname(here), "THIRD-PARTY.txt");
  return fs.existsSync(file) ? `\n${fs.readFileSync(file).toString("utf8")}` : "";
}
