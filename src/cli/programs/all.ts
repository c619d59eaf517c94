// The whole program.
import { createProgram } from "./create.js";
import { commands, first, groups } from "../table.js";

export const { names, main, start } = createProgram({ commands, first, groups });
