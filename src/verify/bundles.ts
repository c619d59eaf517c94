// `ctx verify run.ctx`: proves a file of packs by the packs in it. A broken file is a negative result, not an
// error.
import { CtxError } from "../base/errors.js";
import { exitOf, notProven, type VerifiedTarget, type VerifyResult } from "../results/verification.js";
import type { Store } from "../store/store.js";
import { type BundleName, type BundleOptions, withBundles } from "../bundle/open-bundles.js";

/** Verifies the packs of a file, or the one that is named. `verifyPacks` verifies packs of a store. */
export async function verifyBundle(
  shown: string,
  name: BundleName,
  options: BundleOptions,
  verifyPacks: (store: Store, hashes: readonly string[]) => Promise<VerifyResult>,
): Promise<VerifyResult> {
  try {
    return await withBundles([name], { ...options, many: true }, async (store, hashes) => {
      const result = await verifyPacks(store, hashes);
      const file = shown.replace(/#[^#/]*$/, "");
      const targets = result.targets.map((target, at) => {
        const called = hashes.length === 1 ? shown : `${file}#${(hashes[at] ?? "").slice(0, 12)}`;
        return { ...target, target: called, next: [`ctx show ${called}`, `ctx import ${file}`] };
      });
      return { ...result, targets };
    });
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "bundle-invalid") throw error;
    const target: VerifiedTarget = {
      target: shown,
      kind: "pack",
      result: "damaged",
      packs: [],
      claims: [{ claim: "pack", answer: "no", detail: error.message }],
      faults: [
        {
          about: shown,
          message: error.message,
          packs: [],
          remedy: "get the file again from where it came from",
        },
      ],
      notes: [],
      next: [],
    };
    return { exit: 1, targets: [target], not_proven: notProven };
  }
}

/**
 * Returns the result for targets that cannot be read, so that the other targets of the command get theirs.
 */
export function unanswered(
  names: readonly string[],
  { message, hint, problems = [] }: CtxError,
  kind: "file" | "pack" = "pack",
): VerifyResult {
  const targets = names.map(
    (target): VerifiedTarget => ({
      target,
      kind,
      result: "absent",
      packs: [],
      claims: [{ claim: kind === "pack" ? "pack" : "content", answer: "not_checked", detail: message }],
      faults: [],
      notes: [...problems.map((problem) => problem.message), ...(hint === undefined ? [] : [hint])],
      next: [],
    }),
  );
  return { exit: exitOf.absent, targets, not_proven: notProven };
}
