// The names in a folder; none where there is no such folder.
import * as fs from "node:fs";
import { errnoOf } from "../base/errors.js";

export function list(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
