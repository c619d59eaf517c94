import * as fs from "node:fs";
import { resolve } from "node:path";
import { CtxError } from "../../base/errors.js";
import { usingRegular } from "../../base/fs/files.js";
import { appendAll, maxOf, someOf } from "../../base/lists.js";
import type { Store } from "../../store/store.js";
import type { VerifyResult } from "../../results/verify.js";
import type { BundleName } from "../../bundle/open-bundles.js";
import type { Screen } from "../../render/layout.js";
import type { Call, Command } from "../command.js";
import { junitOption, writeJunit } from "../junit.js";
import { openStore } from "../open-store.js";
import { ignoringClosedPipe, progressOn, writeError } from "../output.js";
import { bundleName, bundleOptions } from "../pack-arguments.js";
import { noPagerOption } from "../pager.js";
import { print } from "../print.js";
import { targetKind, targetOptions } from "../shared-options.js";
import { machineFacts, userPaths } from "../environment.js";
import { sidecarOptions, writeSidecars } from "../write-sidecars.js";

export const verify: Command = {
  name: "verify",
  summary: "prove where a file came from, or that packs are intact",
  details:
    "Finds the pack of a file through the sidecar next to it, or by its bytes, and hashes everything in that pack again. Without arguments, checks the whole store.",
  arguments: [
    {
      name: "target",
      summary:
        "a file or a pack; ctx://… and sha256:… are packs, names that end in .ctx are bundles; otherwise an existing file comes first",
      required: false,
      many: true,
      complete: "file",
    },
  ],
  options: [
    ...targetOptions,
    { long: "all", summary: "check the whole store (as without a target)" },
    { long: "lines", summary: "show which lines of a file were recorded in which output" },
    { long: "sample", value: "share", summary: "hash only a share of the store's objects, such as 5%" },
    { long: "replay", summary: "also execute the pack's tool calls again (see `ctx replay`)" },
    {
      long: "allow",
      value: "kinds",
      summary: "kinds of programs that may run, as for `ctx replay`",
      repeats: true,
      needs: ["replay"],
    },
    ...sidecarOptions,
    junitOption("also write the answers as JUnit XML"),
    noPagerOption,
  ],
  examples: [
    { run: "ctx verify report.md", does: "check where a file came from" },
    { run: "ctx verify report.md --lines", does: "show which of its lines a run produced" },
    { run: "ctx verify report.md --write-sidecar", does: "write its sidecar, if it is verified" },
    { run: "ctx verify latest", does: "check the pack added last, and its parents" },
    { run: "ctx verify latest --replay --allow exec", does: "also replay it" },
    { run: "ctx verify --all --sample 5%", does: "check the store, hashing a part of it" },
  ],
  exits: [
    { status: 0, when: "proven: the bytes are a recorded output of an intact pack" },
    { status: 1, when: "disproven: the file was modified, its sidecar is wrong, or something is damaged" },
    {
      status: 2,
      when: "no answer: there is no such pack, the file is unknown, it was edited in a draft, or secrets in the record are masked",
    },
  ],
  async run(call) {
    const as = targetKind(call);
    if (call.options.has("all") && call.arguments.length > 0)
      throw new CtxError("usage", "--all checks the whole store, and takes no target");
    const isStore = call.arguments.length === 0;
    if (!isStore && call.options.has("sample")) throw new CtxError("usage", "--sample is only for --all");
    if (call.options.has("replay") && isStore) throw new CtxError("usage", "--replay needs a target");
    if (call.options.has("write-sidecar") && isStore)
      throw new CtxError("usage", "--write-sidecar needs a file");
    if (isStore && (as !== undefined || call.options.has("lines")))
      throw new CtxError("usage", `--${as ?? "lines"} needs a target`);
    const sample = parseSample(call.options.get("sample"));
    const result = await verifyTargets(call, as, sample);
    const errors = call.options.has("write-sidecar") ? await writeSidecars(call, result) : [];
    await writeJunit(call, async () => {
      const { renderVerifyJunit } = await import("../../render/verify-junit.js");
      return renderVerifyJunit(result);
    });
    const render = async (screen: Screen): Promise<string> => {
      const { renderVerify } = await import("../../render/verify.js");
      return renderVerify(result, screen);
    };
    await ignoringClosedPipe(() => print(call, result, render, { paged: true }));
    for (const error of errors) writeError(call.terminal, call.json, error);
    return result.exit;
  },
};

/** Verifies all targets, in their order: bundles by themselves, everything else against the store. */
async function verifyTargets(
  call: Call,
  as: "file" | "pack" | undefined,
  sample: number,
): Promise<VerifyResult> {
  const bundles = call.arguments.map((name) => (as === "file" ? undefined : bundleTarget(call, name)));
  const others = call.arguments.filter((_, at) => bundles[at] === undefined);
  if (bundles.every((bundle) => bundle === undefined)) return await verifyInStore(call, others, as, sample);
  const { unreadableTargets, verify, verifyBundle } = await import("../../ops/verify.js");
  const storeResult =
    others.length === 0
      ? undefined
      : await verifyInStore(call, others, as, sample).catch((error: unknown) => {
          // Bundles need no store.
          if (error instanceof CtxError && error.code === "no-store")
            return unreadableTargets(others, error, as);
          throw error;
        });
  const results: VerifyResult[] = storeResult === undefined ? [] : [storeResult];
  const storeTargets = [...(storeResult?.targets ?? [])];
  const targets: VerifyResult["targets"] = [];
  for (const [at, bundle] of bundles.entries()) {
    if (bundle === undefined) appendAll(targets, storeTargets.splice(0, 1));
    else {
      const name = call.arguments[at] as string;
      const verifyPacks = async (store: Store, hashes: readonly string[]): Promise<VerifyResult> => {
        const result = verify(store, hashes, { as: "pack" });
        return call.options.has("replay") ? await addReplayClaims(call, store, result) : result;
      };
      const bundleResult = await verifyBundle(name, bundle, bundleOptions(call), verifyPacks).catch(
        (error: unknown) => {
          // One bundle that cannot be read does not stop the others.
          const isOurs = error instanceof CtxError && error.code !== "interrupted";
          if (isOurs && bundles.length > 1) return unreadableTargets([name], error);
          throw error;
        },
      );
      results.push(bundleResult);
      appendAll(targets, bundleResult.targets);
    }
  }
  const exit = maxOf(results, (bundleResult) => bundleResult.exit) as 0 | 1 | 2;
  return { ...(results[0] as VerifyResult), exit, targets };
}

/** Returns the bundle that a target names. Any other file is an artifact whose origin is looked up. */
function bundleTarget(call: Call, name: string): BundleName | undefined {
  if (!/\.ctx(?:#[^#/]*)?$/.test(name) && !name.includes("#")) return undefined;
  const results = bundleName(call, name);
  return results?.pack === undefined && !name.endsWith(".ctx") ? undefined : results;
}

async function verifyInStore(
  call: Call,
  names: readonly string[],
  as: "file" | "pack" | undefined,
  sample: number,
): Promise<VerifyResult> {
  const store = openStore(call);
  const ops = await import("../../ops/verify.js");
  const progress = progressOn(
    call,
    (done, of) => `${Math.floor((100 * done) / of)} % of ${of} objects`,
    1000,
  );
  const result = ops.verify(store, names, {
    as,
    folder: call.folder,
    lines: call.options.has("lines"),
    sample,
    user: userPaths(call.terminal.env),
    progress: (done, of) => progress.show(done, of),
  });
  progress.clear();
  await addLogs(call, store, result);
  return call.options.has("replay") ? await addReplayClaims(call, store, result) : result;
}

/** Reading a larger file as a log takes longer than the answer is worth. */
const maxLog = 64 << 20;

/** Returns whether a file begins as JSON, as nearly all logs do. */
function mayBeLog(path: string): boolean {
  const head = Buffer.alloc(64);
  try {
    return usingRegular(path, ({ descriptor, size }) => {
      fs.readSync(descriptor, head, 0, head.length, 0);
      return size <= maxLog && /^(?:\ufeff)?\s*[{[]/.test(head.toString("utf8"));
    });
  } catch {
    return false;
  }
}

/** Adds to a file that no pack has recorded which pack it is the log of. */
async function addLogs(call: Call, store: Store, { targets }: VerifyResult): Promise<void> {
  for (const target of targets) {
    if (target.kind !== "file" || target.result !== "unproven" || target.packs.length > 0) continue;
    const path = resolve(call.folder, target.target);
    if (!mayBeLog(path)) continue;
    const { packsOfLog } = await import("../../ops/read-log.js");
    const packs = packsOfLog(store, path, userPaths(call.terminal.env));
    if (packs.length === 0) continue;
    const names = packs.map((hex) => `ctx://${hex.slice(0, 12)}`);
    target.notes.unshift(`it is the log of ${someOf(names, 5)}: packing it again gives the same name`);
    target.next = packs.slice(0, 3).map((hex) => `ctx verify ${hex.slice(0, 12)}`);
  }
}

/** Adds to each pack whether a replay reproduces it. */
async function addReplayClaims(call: Call, store: Store, result: VerifyResult): Promise<VerifyResult> {
  const { verifyReplay } = await import("../../ops/verify.js");
  const { interruptible } = await import("../interrupt.js");
  const { parseAllowed } = await import("../replay-options.js");
  return await interruptible((signal) =>
    verifyReplay(store, result, {
      user: userPaths(call.terminal.env),
      machine: machineFacts(call.terminal.env),
      allow: parseAllowed(call.lists.get("allow") ?? []),
      signal,
    }),
  );
}

function parseSample(text: string | undefined): number {
  if (text === undefined) return 1;
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text)?.[1];
  const share = Number(percent) / 100;
  if (percent !== undefined && share > 0 && share <= 1) return share;
  throw new CtxError("usage", `--sample needs a share such as 5%, not "${text}"`);
}
