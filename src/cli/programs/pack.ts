// The program that takes runs in, as hooks do all day: without the rest it is loaded faster.
import { hook, sealer } from "../commands/hook.js";
import { init } from "../commands/init.js";
import { pack } from "../commands/pack.js";
import { programOf } from "./create.js";

export const { names, main, start } = programOf({ commands: [init, pack, hook, sealer], groups: [] });
