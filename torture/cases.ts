// All cases, in the order of the table. One line of imports and one of the list for each file.
import { bitRotCases } from "./bit-rot.js";
import type { Case } from "./case.js";
import { crashCases } from "./crash.js";
import { fullDiskCases } from "./full-disk.js";
import { fuzzCases } from "./fuzz/fuzz.js";
import { hostileCases } from "./hostile.js";
import { largeSearchCases } from "./large-search.js";
import { loadCases } from "./load.js";
import { manyPacksCases } from "./many-packs.js";
import { orderCases } from "./order.js";
import { powerCases } from "./power.js";
import { raceCases } from "./races.js";

export const cases: Case[] = [
  ...crashCases,
  ...powerCases,
  ...orderCases,
  ...fullDiskCases,
  ...fuzzCases,
  ...bitRotCases,
  ...loadCases,
  ...raceCases,
  ...manyPacksCases,
  ...largeSearchCases,
  ...hostileCases,
];
