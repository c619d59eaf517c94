// The time that `ctx replay` adds to that of the tools themselves.
import { emptyNode, large, program } from "./floors.mjs";

/** @type {import("../rows.mjs").Row[]} */
export const replayingRows = [
  {
    name: "ctx replay, 1,000 read_file steps",
    floorName: "the same in a bare loop",
    limit: 2,
    measures: "time",
    writes: true,
    rounds: large,
    floorDoes:
      "The floor (`replay-floor.mjs`) writes, reads, hashes and deletes the same 1,000 files in a bare loop. The time of `node -e 0` is subtracted from both.",
    prepare: (work) => work.replayable(1000, "read_file"),
    subject: (work, store) => work.replay(store, "--json"),
    floor: (work) => work.node(program("replay-floor.mjs"), "files", work.fresh(), "1000"),
    beyond: emptyNode.floor,
  },
  {
    name: "ctx replay, 1,000 commands",
    floorName: "1,000 spawns of bwrap",
    limit: 1.3,
    measures: "time",
    writes: true,
    rounds: { full: 5, quick: 3 },
    floorDoes:
      "The floor (`replay-floor.mjs`) starts bwrap 1,000 times with the same arguments and `bash -c true`, from the same kind of loop.",
    prepare: (work) => work.replayable(1000, "bash"),
    subject: (work, store) => work.replay(store, "--json", "--allow", "exec"),
    floor: (work) => work.node(program("replay-floor.mjs"), "spawns", work.dist, work.open(), "1000"),
  },
];
