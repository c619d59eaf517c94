// Makes a home folder with three agents' sessions, for the demo, the picture and the documents; as a program,
// in the folder that its argument names. A copy has the time of its checkout, so each gets that of its last
// record: `ctx discover` prints it.
import { cpSync, readFileSync, readdirSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const examples = join(dirname(fileURLToPath(import.meta.url)), "../examples");

export function makeExampleHome(home) {
  cpSync(join(examples, "home"), home, { recursive: true });
  cpSync(join(examples, "sessions"), join(home, ".claude/projects/tour"), { recursive: true });
  for (const name of readdirSync(home, { recursive: true })) {
    const path = join(home, name);
    if (!name.endsWith(".jsonl") || !statSync(path).isFile()) continue;
    const [, time] = [...readFileSync(path, "utf8").matchAll(/"timestamp":"([^"]+)"/g)].at(-1);
    utimesSync(path, new Date(time), new Date(time));
  }
}

const [, program, folder] = process.argv;
if (program === fileURLToPath(import.meta.url) && folder !== undefined) makeExampleHome(folder);
