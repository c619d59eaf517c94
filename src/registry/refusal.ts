// Reads why a registry refused, and returns hints for one that cannot be reached.
import type { IncomingMessage } from "node:http";
import { readBody } from "./http.js";

/** Returns a hint for the code and the message of a failed connection. */
export function hintFor(code: string, why: string): string | undefined {
  if (code === "ENOTFOUND" || code === "ECONNREFUSED")
    return "check that the address is right and the registry is running";
  if (["EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"].includes(code)) return "check the address and the network";
  if (code === "EPROTO" || /wrong version number/i.test(why))
    return "the registry may only speak plain HTTP; --plain-http allows that, but anyone on the network can then read the traffic";
  if (/certificate|CERT/i.test(`${code} ${why}`))
    return "set NODE_EXTRA_CA_CERTS to a file with the certificates of your own authority";
  return undefined;
}

/** Returns the registry's own message, shortened. */
export async function refusalText(response: IncomingMessage): Promise<string> {
  try {
    const body = (await readBody(response, 1 << 16)).toString("utf8");
    const { errors } = JSON.parse(body) as { errors?: { code?: unknown; message?: unknown }[] };
    const [first] = errors ?? [];
    const words = [first?.code, first?.message].filter((word) => typeof word === "string").join(": ");
    return words === "" ? "" : ` (${words.slice(0, 200)})`;
  } catch {
    return "";
  }
}
