// What `ctx doctor` reports about the content of a store.
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DoctorCheck } from "../results/results.js";
import { withCatalog } from "../store/catalog.js";
import type { Store } from "../store/store.js";

/** Checks that the packs of a store can be read, and that it can be written to. */
export function healthChecks(store: Store): DoctorCheck[] {
  const { count, damaged, newer } = withCatalog(store, (catalog) => {
    const unread = catalog.damaged === 0 ? [] : [...catalog.entries()].map(({ content }) => content);
    const later = unread.filter((content) => "damage" in content && content.newer === true).length;
    return { count: catalog.count, damaged: catalog.damaged - later, newer: later };
  });
  const packs = `${count} ${count === 1 ? "pack" : "packs"} in ${store.root}`;
  const checks: DoctorCheck[] =
    damaged === 0
      ? [{ name: "store", status: "ok", found: packs }]
      : [
          {
            name: "store",
            status: "bad",
            found: `${packs}, ${damaged} damaged`,
            advice: "`ctx log` names them",
          },
        ];
  if (newer > 0)
    checks.push({
      name: "newer packs",
      status: "lacks",
      found: `${newer} written by a newer ctx`,
      advice: "update ctx to read them; until then, ctx keeps everything that they may need",
    });
  if (count > 0 && !isFolder(join(store.root, "objects")))
    checks.push({
      name: "objects",
      status: "bad",
      found: "the folder is missing",
      advice: "restore it from a copy of the store",
    });
  try {
    accessSync(store.root, constants.W_OK);
  } catch {
    checks.push({
      name: "writing",
      status: "lacks",
      found: "you cannot write to this store",
      advice: "reading works",
    });
  }
  if (store.foreign)
    checks.push({
      name: "owner",
      status: "lacks",
      found: "another user",
      advice: "its settings have no effect for you",
    });
  const unfinished = countEntries(join(store.root, "tmp"));
  if (unfinished > 0)
    checks.push({
      name: "unfinished",
      status: "ok",
      found: `${unfinished} ${unfinished === 1 ? "entry" : "entries"} in tmp/`,
      advice: "other commands are writing, or a crash left them: the next `ctx pack` removes leftovers",
    });
  return checks;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function countEntries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}
