// Temporary folders for tests, removed when the test file is done.
import * as fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { init } from "../src/ops/init.js";
import { Store } from "../src/store/store.js";
import { atEnd } from "./endings.js";

const made: string[] = [];

atEnd(() => {
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

/** Returns a new, empty folder. */
export function tempFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ctx-test-")));
  made.push(folder);
  return folder;
}

/** A new folder outside the temporary ones, which no sandbox shows, that every user can enter. */
export function lastingFolder(): string {
  const parent = ["/opt", "/srv", "/var/lib", homedir()].find((path) => {
    try {
      fs.accessSync(path, fs.constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
  const folder = fs.mkdtempSync(join(parent ?? homedir(), "ctx-test-"));
  fs.chmodSync(folder, 0o755);
  made.push(folder);
  return folder;
}

/** Returns a new folder with an empty store in it. */
export function tempStore(): Store {
  const folder = tempFolder();
  init(folder);
  return Store.find(folder);
}

/**
 * The same, and hooks and `ctx pack --discover` put sessions into it. `state`: the user's state folder, from
 * that folder.
 */
export function sessionStore(state = ".nobody/.local/state/ctx"): Store {
  const folder = tempFolder();
  init(folder, { state: join(folder, state) });
  return Store.find(folder);
}

/**
 * Returns every file below a folder with its content in hex and its mode; every link with its target. Equal
 * trees are equal maps.
 */
export function snapshot(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = fs.lstatSync(path);
    if (entry.isSymbolicLink()) found.set(path, `link ${fs.readlinkSync(path)}`);
    else if (entry.isFile()) found.set(path, `${mode.toString(8)} ${fs.readFileSync(path).toString("hex")}`);
    else found.set(path, mode.toString(8));
  }
  return found;
}
