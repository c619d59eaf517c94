// The program that compares and verifies: the commands that CI calls.
import { diff } from "../commands/diff.js";
import { status } from "../commands/status.js";
import { verify } from "../commands/verify.js";
import { createProgram } from "./create.js";

export const { names, main, start } = createProgram({
  commands: [diff, status, verify],
  groups: [],
  first: [],
});
