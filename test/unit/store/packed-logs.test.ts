import { describe, expect, it } from "vitest";
import { TakenLogs } from "../../../src/store/packed-logs.js";
import { tempStore } from "../../../dev/folders.js";

const log = (signature: string) => ({ signature, packs: [] });

describe("the note of logs that were packed", () => {
  it("packed logs: additions of two processes that read the file at the same time are kept", () => {
    const store = tempStore();
    const [one, other] = [TakenLogs.read(store), TakenLogs.read(store)];
    one.set("/a", log("1"));
    one.save();
    other.set("/b", log("1"));
    other.save();
    const read = TakenLogs.read(store);
    expect([read.get("/a"), read.get("/b")]).toEqual([log("1"), log("1")]);
  });

  it("packed logs: saving does not revert to what a process read long ago", () => {
    const store = tempStore();
    const first = TakenLogs.read(store);
    first.set("/a", log("1"));
    first.save();
    const slow = TakenLogs.read(store);
    first.set("/a", log("2"));
    first.save();
    slow.set("/b", log("1"));
    slow.save();
    expect(TakenLogs.read(store).get("/a")).toEqual(log("2"));
  });
});
