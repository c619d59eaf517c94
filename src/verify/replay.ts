// `ctx verify --replay`: adds a claim about each pack, that its tool calls return the same again and make its
// outputs.
import { hexOf, type Reference } from "../base/digest.js";
import type { Manifest, Step } from "../model/manifest.js";
import { isForgiven, type ReplayedOutput, type ReplayedStep, type ReplayReport } from "../results/replay.js";
import { effects, isOwnTool, toolUse, unansweredAs } from "../tools/table.js";
import type { Claim, VerifyResult } from "../results/verify.js";
import { readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";

/** Returns the result with the claim added to every target that a pack backs. */
export async function withReplay(
  store: Store,
  result: VerifyResult,
  replay: (pack: Reference) => Promise<ReplayReport>,
): Promise<VerifyResult> {
  let exit = result.exit;
  const targets: VerifyResult["targets"] = [];
  for (const target of result.targets) {
    const [pack] = target.packs;
    if (target.kind === "store" || pack === undefined || target.result !== "verified") {
      targets.push(target);
      continue;
    }
    const report = await replay(pack);
    const { manifest } = readPack(store.root, hexOf(report.pack_hash));
    const claim = replayClaim(report, manifest, target.hash);
    if (claim.answer === "no" && exit === 0) exit = 1;
    targets.push({ ...target, claims: [...target.claims, claim] });
  }
  return { ...result, exit, targets };
}

/**
 * Returns the claim: true only if every output was made again, every write was applied, and every other call
 * matched, byte for byte. An output that no executed step made leaves the claim open, and so does a step that
 * diverged, though the log allows that, or a call that was not checked. Excluded by name are texts that the
 * model said, unless the target is one of them (`target`), and calls of the agent's own tools.
 */
function replayClaim(
  { fidelity, counts, steps, outputs }: ReplayReport,
  manifest: Manifest,
  target: Reference | undefined,
): Claim {
  const files = outputs.filter(({ said: saidByModel }) => saidByModel !== true);
  const made = files.filter(({ reproduced }) => reproduced === true);
  const summary = [
    `${fidelity}: ${counts.checked} of ${counts.tool_calls} tool calls checked, ${counts.matched} matched`,
    ...(files.length === 0 ? [] : [`${made.length} of ${files.length} outputs reproduced`]),
  ];
  const answer = (kind: Claim["answer"], why?: string): Claim => ({
    claim: "replay",
    answer: kind,
    detail: (why === undefined ? summary : [...summary, why]).join("; "),
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
  const isMade = made.some(({ expected_hash }) => expected_hash === target);
  const isTarget = ({ expected_hash }: ReplayedOutput): boolean => expected_hash === target && !isMade;
  const open = outputs.find(
    (output) => output.reproduced === null && (output.said !== true || isTarget(output)),
  );
  if (open !== undefined) return answer("not_checked", `${open.name}: ${open.message ?? "not made"}`);
  const allowed = steps.filter(({ status }) => status === "diverged").length;
  if (allowed > 0) return answer("not_checked", `${countText(allowed, "step")} diverged, as the log allows`);
  if (counts.resynced > 0)
    return answer("not_checked", `${countText(counts.resynced, "file")} set back to the record on the way`);
  const normalised = steps.filter(isForgiven).length;
  if (normalised > 0)
    return answer(
      "not_checked",
      `${countText(normalised, "step")} matched only after normalising, or with lines in another order`,
    );
  const { unchecked, own } = callsNotMatched(steps, manifest);
  const [first] = unchecked;
  if (first !== undefined)
    return answer(
      "not_checked",
      `${countText(unchecked.length, "call")} not checked: step ${first.index} ${first.tool ?? first.type}: ${first.message ?? first.status}`,
    );
  const saidByModel = outputs.filter((output) => output.said === true).map(({ name }) => name);
  const exclusions = [
    ...(saidByModel.length === 0 ? [] : [`not about ${listText(saidByModel)}: the model wrote that`]),
    ...(own.length === 0 ? [] : [`not about calls of the agent's own tools: ${listText(own)}`]),
  ];
  return answer(
    fidelity === "exact" && counts.matched > 0 ? "yes" : "not_checked",
    exclusions.length === 0 ? undefined : exclusions.join("; "),
  );
}

/**
 * Returns the calls that did not match, except for writes that were applied: those that the claim would be
 * about, and the names of the agent's own tools. A step that names a tool is a call, whatever type the log
 * assigns it. A call that never had a result is not part of the claim.
 */
function callsNotMatched(
  steps: readonly ReplayedStep[],
  manifest: Manifest,
): { unchecked: ReplayedStep[]; own: string[] } {
  const unchecked: ReplayedStep[] = [];
  const own = new Set<string>();
  for (const replayed of steps) {
    const step = manifest.steps[replayed.index];
    if (step === undefined || replayed.status === "matched" || !isCall(step)) continue;
    if (replayed.executed && isWrite(step)) continue;
    if (unansweredAs(step) !== undefined) {
      if (hasResult(step))
        unchecked.push({ ...replayed, message: `${replayed.message ?? ""}, but has a result` });
    } else if (!replayed.executed && step.tool !== undefined && isOwnTool(step.tool)) own.add(step.tool);
    else unchecked.push(replayed);
  }
  return { unchecked, own: [...own] };
}

function isCall({ type, tool }: Step): boolean {
  return type === "tool_call" || tool !== undefined;
}

/** Returns whether a call is made for what it changes: the effect is compared with the outputs. */
function isWrite({ tool, parameters }: Step): boolean {
  const use = tool === undefined ? undefined : toolUse(tool, parameters ?? {}, undefined);
  return use !== undefined && effects.has(use.action);
}

/** Returns whether the log records a result of the call. */
function hasResult({ output_ref, seen_ref, metadata }: Step): boolean {
  return output_ref !== undefined || seen_ref !== undefined || metadata?.["exit_code"] !== undefined;
}

function countText(count: number, thing: string): string {
  return `${count} ${count === 1 ? thing : `${thing}s`}`;
}

function listText([first = "", ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
