// Folders that are logs: some agents keep one run in many files.
import { conversationIn } from "./formats/openhands/folder.js";

/** Returns the file that stands for the run in a folder; undefined when the folder holds none. */
export function logIn(folder: string): string | undefined {
  return conversationIn(folder);
}
