// All commands, in the order in which --help lists them.
import { cat } from "./commands/cat.js";
import { init } from "./commands/init.js";
import { log } from "./commands/log.js";
import { pack } from "./commands/pack.js";
import { show } from "./commands/show.js";
import { tag } from "./commands/tag.js";
import type { Command } from "./command.js";

export const commands: readonly Command[] = [init, pack, show, cat, log, tag];
