// Folders that are logs: those in which an agent keeps one run in many files.
import { conversationIn } from "./formats/openhands/folder.js";

/** The file by which the run in a folder is packed; undefined when there is none. */
export function logIn(folder: string): string | undefined {
  return conversationIn(folder);
}
