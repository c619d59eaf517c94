// Reads the folder of a project, which Gemini CLI writes into a file two folders above the project's
// sessions.
import { isUtf8 } from "node:buffer";
import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "../../../base/digest.js";
import { fill } from "../../../base/fs/files.js";
import { openSafely } from "../../sibling-files.js";

const rootFile = ".project_root";

/** No real path is longer. */
const maxLength = 4096;

/**
 * Returns the project folder of a session in `tmp/<project>/chats`, or in a subfolder of it with its
 * sub-agents.
 */
export function projectRoot(session: string): string | undefined {
  const folder = dirname(resolve(session));
  const chats = [folder, dirname(folder)].find((each) => basename(each) === "chats");
  if (chats === undefined) return undefined;
  const bytes = openSafely(join(dirname(chats), rootFile), (descriptor) => {
    const buffer = Buffer.alloc(maxLength + 1);
    return buffer.subarray(0, fill(descriptor, buffer));
  });
  if (bytes === undefined || bytes.length > maxLength || !isUtf8(bytes)) return undefined;
  const path = bytes.toString("utf8").trim();
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)[^\0\r\n]*$/.test(path) ? path : undefined;
}

/**
 * Returns whether a folder may have the hash that a session states. On Windows it is stored in lower case,
 * and hashed in its original case.
 */
export function mayHaveHash(folder: string, hash: string | undefined): boolean {
  const isHash = hash !== undefined && /^[0-9a-f]{64}$/.test(hash);
  return !isHash || !folder.startsWith("/") || sha256(Buffer.from(folder)) === hash;
}
