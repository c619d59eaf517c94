// The program that packs runs, as hooks do all day: without the other commands it loads faster.
import { hook, sealer } from "../commands/hook.js";
import { init } from "../commands/init.js";
import { pack } from "../commands/pack.js";
import { createProgram } from "./create.js";

export const { names, main, start } = createProgram({
  commands: [init, pack, hook, sealer],
  groups: [],
  first: [],
});
