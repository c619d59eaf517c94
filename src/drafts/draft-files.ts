// The files of a draft that is not on disk: the contents of its log come from the store, or from memory.
import { hexOf } from "../base/digest.js";
import type { LogFiles } from "../store/log-files.js";
import type { Draft } from "./draft.js";

export function draftFiles({ files }: Draft): LogFiles {
  return {
    problem: (path) => (files.has(path) ? undefined : `there is no file "${path}"`),
    add(path, sink) {
      const content = files.get(path) ?? Buffer.alloc(0);
      return typeof content === "string" ? sink.addStored(hexOf(content)) : sink.addBytes(content);
    },
  };
}
