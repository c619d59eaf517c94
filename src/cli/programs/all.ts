// The whole program.
import { createProgram } from "./create.js";
import { commands, groups } from "../table.js";

export const { names, main, start } = createProgram({ commands, groups });
