// Stands in a small program for the verbs that read agents' logs: all formats together are several times as
// large as the program itself. scripts/bundle.mjs puts it in their place.
import { NeedsWholeProgram } from "../whole-program.js";

function leftOut(): never {
  throw new NeedsWholeProgram();
}

export {
  leftOut as findSession,
  leftOut as follow,
  leftOut as hasGrown,
  leftOut as packsOfLog,
  leftOut as readLogInto,
  leftOut as sessionsOnDisk,
};
