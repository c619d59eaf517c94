// `ctx verify --replay`: one more claim about each pack, that its tool calls give the same again and make its outputs.
import type { Reference } from "../base/digest.js";
import { isForgiven, type ReplayedOutput, type ReplayReport } from "../model/replay.js";
import type { Claim, VerifyResult } from "../model/verification.js";
import type { Store } from "../store/store.js";
import { type ReplayOptions, replay } from "./replay.js";

/** The result with the claim added to every target that a pack backs. */
export async function withReplay(
  store: Store,
  result: VerifyResult,
  options: ReplayOptions,
): Promise<VerifyResult> {
  let exit = result.exit;
  const targets: VerifyResult["targets"] = [];
  for (const target of result.targets) {
    const [pack] = target.packs;
    if (target.kind === "store" || pack === undefined || target.result !== "verified") {
      targets.push(target);
      continue;
    }
    const claim = claimOf(await replay(store, pack, options), target.hash);
    if (claim.answer === "no" && exit === 0) exit = 1;
    targets.push({ ...target, claims: [...target.claims, claim] });
  }
  return { ...result, exit, targets };
}

/**
 * Yes only where every output was made again, and every step that was executed matched, byte for byte. An output that no executed
 * step made leaves the answer open, and so does a step that diverged, though the log allows that. Only what the model said is set
 * aside, by name, unless it is what was asked about (`about`).
 */
function claimOf({ fidelity, counts, steps, outputs }: ReplayReport, about: Reference | undefined): Claim {
  const files = outputs.filter(({ said }) => said !== true);
  const made = files.filter(({ reproduced }) => reproduced === true);
  const told = [
    `${fidelity}: ${counts.checked} of ${counts.tool_calls} tool calls checked, ${counts.matched} matched`,
    ...(files.length === 0 ? [] : [`${made.length} of ${files.length} outputs reproduced`]),
  ];
  const answer = (kind: Claim["answer"], why?: string): Claim => ({
    claim: "replay",
    answer: kind,
    detail: (why === undefined ? told : [...told, why]).join("; "),
  });
  const wrong = outputs.find(({ reproduced }) => reproduced === false);
  if (wrong !== undefined) return answer("no", `${wrong.name}: ${wrong.message ?? "it differs"}`);
  const isOff = steps.some(
    ({ status, expected, by_request }) => by_request === true || (status === "diverged" && expected !== true),
  );
  if (isOff) return answer("no");
  const failed = steps.find(({ status }) => status === "failed");
  if (failed !== undefined)
    return answer("not_checked", `step ${failed.index}: ${failed.message ?? failed.reason ?? ""}`);
  const isMade = made.some(({ expected_hash }) => expected_hash === about);
  const isAbout = ({ expected_hash }: ReplayedOutput): boolean => expected_hash === about && !isMade;
  const open = outputs.find(
    (output) => output.reproduced === null && (output.said !== true || isAbout(output)),
  );
  if (open !== undefined) return answer("not_checked", `${open.name}: ${open.message ?? "not made"}`);
  const allowed = steps.filter(({ status }) => status === "diverged").length;
  if (allowed > 0) return answer("not_checked", `${countText(allowed, "step")} diverged, as the log allows`);
  const forgiven = steps.filter(isForgiven).length;
  if (forgiven > 0)
    return answer("not_checked", `${countText(forgiven, "step")} matched only after normalising`);
  const said = outputs.filter((output) => output.said === true).map(({ name }) => name);
  const aside = said.length === 0 ? undefined : `not about ${listText(said)}, which the model said`;
  return answer(fidelity === "exact" && counts.matched > 0 ? "yes" : "not_checked", aside);
}

function countText(count: number, thing: string): string {
  return `${count} ${count === 1 ? thing : `${thing}s`}`;
}

function listText([first = "", ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
