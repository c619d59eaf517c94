// `ctx verify --replay`: one more claim about each pack, that its tool calls give the same again.
import type { ReplayReport } from "../model/replay.js";
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
    const claim = claimOf(await replay(store, pack, options));
    if (claim.answer === "no" && exit === 0) exit = 1;
    targets.push({ ...target, claims: [...target.claims, claim] });
  }
  return { ...result, exit, targets };
}

function claimOf({ fidelity, counts, steps }: ReplayReport): Claim {
  const detail = `${fidelity}: ${counts.checked} of ${counts.tool_calls} tool calls checked, ${counts.matched} matched`;
  const isOff = steps.some(
    ({ status, expected, by_request }) => by_request === true || (status === "diverged" && expected !== true),
  );
  if (isOff) return { claim: "replay", answer: "no", detail };
  if (fidelity === "exact" && counts.matched > 0) return { claim: "replay", answer: "yes", detail };
  const why = steps.find(({ status }) => status === "failed");
  const told = why === undefined ? "" : `; step ${why.index}: ${why.message ?? why.reason ?? ""}`;
  return { claim: "replay", answer: "not_checked", detail: `${detail}${told}` };
}
