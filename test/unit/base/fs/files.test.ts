import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { readWhole, usingDescriptor } from "../../../../src/base/fs/files.js";

describe("readWhole", () => {
  it("readWhole: an endless or too large file is an error, not an endless read", () => {
    const tooLarge = expect.objectContaining({ code: "too-large" });
    usingDescriptor(fs.openSync("/dev/zero", "r"), (zero) =>
      expect(() => readWhole(zero, 5 << 20)).toThrow(tooLarge),
    );
    usingDescriptor(fs.openSync(process.execPath, "r"), (file) =>
      expect(() => readWhole(file, 1000)).toThrow(tooLarge),
    );
    usingDescriptor(fs.openSync("/dev/null", "r"), (none) => expect(readWhole(none)).toHaveLength(0));
  });
});
