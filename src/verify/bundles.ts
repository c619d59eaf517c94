// `ctx verify run.ctx`: proves a file of packs by the packs in it. A broken file is a negative result, not an
// error.
import { CtxError } from "../base/errors.js";
import { absentTarget, notProven, type VerifiedTarget, type VerifyResult } from "../results/verify.js";
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
        const name = hashes.length === 1 ? shown : `${file}#${(hashes[at] ?? "").slice(0, 12)}`;
        return { ...target, target: name, next: [`ctx show ${name}`, `ctx import ${file}`] };
      });
      return { ...result, targets };
    });
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== "bundle-invalid") throw error;
    const target: VerifiedTarget = {
      ...absentTarget(shown, "pack"),
      result: "damaged",
      claims: [{ claim: "pack", answer: "no", detail: error.message }],
      faults: [
        {
          about: shown,
          message: error.message,
          packs: [],
          remedy: "copy the file again from its source",
        },
      ],
    };
    return { exit: 1, targets: [target], not_proven: notProven };
  }
}
