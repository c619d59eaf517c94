// `npm run drift`: all 15,000 cases of the drift property test, of which `npm test` runs 60. --help has the
// options.
import { load } from "./load.mjs";

const { compareRuns, runAll } = await load(["./src/diff/compare-runs.ts", "./dev/drift/run-all.ts"]);
const met = runAll(process.argv.slice(2), compareRuns, console.log);
if (!met) process.exitCode = 1;
