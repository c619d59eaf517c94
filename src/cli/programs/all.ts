// The whole program.
import { programOf } from "./create.js";
import { commands, groups } from "../table.js";

export const { names, main, start } = programOf({ commands, groups });
