// All cases, in the order of the table. One line of imports and one of the list for each file.
import type { Case } from "./case.js";

export const cases: Case[] = [];
