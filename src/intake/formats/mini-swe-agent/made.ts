// Whether a document was written by mini-swe-agent, by what it says about the run.
import type { JsonObject } from "../../../base/json/value.js";
import { wordAt } from "../../json-access.js";

/** The format is named at the end, beyond the head of a long log; the settings are at the beginning. */
export function isMade(info: JsonObject | undefined): boolean {
  const classes = ["agent_type", "model_type", "environment_type"].map((key) => wordAt(info, "config", key));
  return (
    wordAt(info, "mini_version") !== undefined ||
    classes.some((name) => name?.startsWith("minisweagent.") === true)
  );
}
