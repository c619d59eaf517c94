// The id of a session as its log's path has it: agents name the file or its folder after the session.
import { basename, dirname } from "node:path";

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Names that the logs of all sessions of an agent have. */
const shared = /^(?:api_conversation_history|base_state|events|generations)\.jsonl?$/;

/** Returns the id of a session by the path of its log. */
export function sessionInPath(path: string): string {
  const name = basename(path);
  const own = shared.test(name) ? basename(dirname(path)) : name.replace(/(?:\.[a-z]{2,6}){1,2}$/i, "");
  return uuid.exec(own)?.[0] ?? own;
}
