// Checks packs down to the last byte: the manifest, its sealed copy, everything that it reaches, its parents,
// and the runs of its sub-agents. Nothing is checked twice in one call.
import * as fs from "node:fs";
import { hexOf, type Reference, toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { readWhole, usingRegular } from "../base/fs/files.js";
import { appendAll, someOf } from "../base/lists.js";
import { isSealedFrom, type Manifest, reached, subAgentsOf } from "../model/manifest.js";
import type { Claim, Fault, PackForm } from "../results/verify.js";
import { hashObjects } from "../store/hash-objects.js";
import { packPath } from "../store/layout.js";
import { readObject } from "../store/objects.js";
import { hasPack, isOneLine, mayBeOneLine, type Pack, parentOf, readPack } from "../store/packs.js";
import type { Store } from "../store/store.js";

export interface CheckedPack {
  hex: string;
  /** Missing if it cannot be read. */
  pack?: Pack;
  /** What is wrong with the pack itself. */
  faults: Fault[];
  /** Why it cannot be checked though nothing is wrong with it: a newer ctx wrote it. */
  newer?: string;
}

/** Maximum number of sub-agent runs followed from one pack. */
const maxSubAgents = 100_000;

/** Checks packs, and remembers the packs and objects that it has checked. */
export class Checker {
  readonly #store: Store;
  readonly #packs = new Map<string, CheckedPack>();
  /** What is wrong with an object; undefined if it is intact. */
  readonly #objects = new Map<string, CtxError | undefined>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Checks the pack, its manifest and everything that it reaches. */
  check(hex: string): CheckedPack {
    let checked = this.#packs.get(hex);
    if (checked === undefined) {
      checked = this.#read(hex);
      if (checked.pack !== undefined) appendAll(checked.faults, this.#blobFaults(checked.pack));
      this.#packs.set(hex, checked);
    }
    return checked;
  }

  /** Checks its parents, from the nearest on. `missing` is the first that is not in the store. */
  lineage(hex: string): { checked: CheckedPack[]; missing?: string } {
    const checked: CheckedPack[] = [];
    const seen = new Set([hex]);
    let at = this.check(hex).pack;
    for (;;) {
      const parent = at === undefined ? undefined : parentOf(at);
      if (parent === undefined || seen.has(parent)) return { checked };
      seen.add(parent);
      if (!hasPack(this.#store.root, parent)) return { checked, missing: parent };
      const next = this.check(parent);
      checked.push(next);
      at = next.pack;
    }
  }

  /**
   * Checks the runs of its sub-agents, and of theirs, each once. `missing` are those that are not in the
   * store; `isCut` if there were more than are followed.
   */
  subAgents(hex: string): { checked: CheckedPack[]; missing: string[]; isCut: boolean } {
    const checked: CheckedPack[] = [];
    const missing: string[] = [];
    const seen = new Set([hex]);
    const waiting = [this.check(hex)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.pack === undefined) continue;
      for (const named of [...subAgentsOf(next.pack.manifest)].map(hexOf)) {
        if (seen.has(named)) continue;
        if (seen.size > maxSubAgents) return { checked, missing, isCut: true };
        seen.add(named);
        if (!hasPack(this.#store.root, named)) missing.push(named);
        else {
          const run = this.check(named);
          checked.push(run);
          waiting.push(run);
        }
      }
    }
    return { checked, missing, isCut: false };
  }

  #read(hex: string): CheckedPack {
    try {
      const pack = readPack(this.#store.root, hex);
      const problem = pack.fromGo ? undefined : sealProblem(this.#store.root, hex, pack.manifest);
      return { hex, pack, faults: problem === undefined ? [] : [sealFault(this.#store, hex, problem)] };
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      if (error.code === "unknown-version") return { hex, faults: [], newer: error.message };
      return { hex, faults: [manifestFault(hex, error)] };
    }
  }

  #blobFaults({ hex, manifest }: Pack): Fault[] {
    const names = [...new Set([...reached(manifest)].map(hexOf))];
    const unknown = names.filter((name) => !this.#objects.has(name));
    const { faults } = hashObjects(this.#store.root, unknown);
    for (const name of unknown) this.#objects.set(name, faults.get(name));
    return names.flatMap((name) => {
      const error = this.#objects.get(name);
      return error === undefined ? [] : [objectFault(name, error, [toReference(hex)])];
    });
  }
}

/**
 * Returns what is wrong with the copy in packs/; undefined if it is the sealed manifest, byte for byte, or
 * the Go program's one line.
 */
export function sealProblem(root: string, hex: string, manifest: Manifest): string | undefined {
  const path = packPath(root, hex);
  try {
    if (isOneLine(root, hex)) {
      if (mayBeOneLine(manifest)) return undefined;
      return `${path} says that the Go implementation wrote ctx://${hex}, but the manifest has fields that only this implementation writes`;
    }
    const sealed = usingRegular(path, ({ descriptor }) => readWhole(descriptor));
    return isSealedFrom(manifest, readObject(root, hex), sealed, hex)
      ? undefined
      : `${path} is not the sealed manifest of ctx://${hex}`;
  } catch (error) {
    if (error instanceof CtxError) return error.message;
    if (error instanceof Error && "code" in error) return `${path} cannot be read (${String(error.code)})`;
    throw error;
  }
}

const again = "ctx pack <the run's log>";

export function sealFault(store: Store, hex: string, message: string): Fault {
  const isFile = fs.lstatSync(packPath(store.root, hex), { throwIfNoEntry: false })?.isFile() === true;
  return {
    about: `ctx://${hex}`,
    message,
    packs: [toReference(hex)],
    remedy: isFile ? again : `move ${packPath(store.root, hex)} away, then run: ${again}`,
  };
}

export function manifestFault(hex: string, error: CtxError): Fault {
  return {
    about: `ctx://${hex}`,
    message: error.message,
    packs: [toReference(hex)],
    remedy: `${again}; or restore .ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)} from a copy`,
  };
}

export function objectFault(hex: string, error: CtxError, packs: Reference[]): Fault {
  const path = `.ctx/objects/${hex.slice(0, 2)}/${hex.slice(2)}`;
  return {
    about: toReference(hex),
    message: error.message,
    packs,
    remedy:
      packs.length === 0
        ? `rm -f ${path}  (no pack refers to it)`
        : `${again}; or restore ${path} from a copy`,
  };
}

/** Returns the claims about a pack, its lineage and the runs of its sub-agents. */
export function packClaims(
  checker: Checker,
  hex: string,
): { claims: Claim[]; faults: Fault[]; form?: PackForm; isNewer: boolean } {
  const own = checker.check(hex);
  const { checked, missing } = checker.lineage(hex);
  const broken = checked.filter(({ faults }) => faults.length > 0);
  const newer = own.newer ?? checked.find((parent) => parent.newer !== undefined)?.newer;
  const count = own.pack === undefined ? 0 : new Set(reached(own.pack.manifest)).size;
  const pack: Claim = {
    claim: "pack",
    answer: own.faults.length > 0 ? "no" : own.newer === undefined ? "yes" : "not_checked",
    detail:
      own.faults.length === 0
        ? (own.newer ?? `the manifest and ${count} contents match their hashes`)
        : `${own.faults.length} of its parts ${own.faults.length === 1 ? "is" : "are"} damaged or missing`,
  };
  const parents = `${checked.length} ${checked.length === 1 ? "parent" : "parents"}`;
  const lineage: Claim =
    broken.length > 0
      ? { claim: "lineage", answer: "no", detail: `${broken.length} of ${parents} damaged` }
      : own.pack === undefined || missing !== undefined || newer !== undefined
        ? {
            claim: "lineage",
            answer: "not_checked",
            detail:
              missing === undefined
                ? (newer ?? "the manifest cannot be read")
                : `ctx://${missing.slice(0, 12)} is not in this store`,
          }
        : {
            claim: "lineage",
            answer: "yes",
            detail: checked.length === 0 ? "it has no parent" : `${parents}, all intact`,
          };
  const subAgents = subAgentClaim(checker, hex);
  return {
    claims: [pack, lineage, ...subAgents.claims],
    // A pack may be among the parents and among the sub-agents.
    faults: [...new Set([...own.faults, ...broken.flatMap(({ faults }) => faults), ...subAgents.faults])],
    ...(own.pack === undefined ? {} : { form: own.pack.fromGo ? "go" : "ours" }),
    isNewer: own.newer !== undefined,
  };
}

/** Returns no claim if the pack names no runs of sub-agents. */
function subAgentClaim(checker: Checker, hex: string): { claims: Claim[]; faults: Fault[] } {
  const { checked, missing, isCut } = checker.subAgents(hex);
  if (checked.length + missing.length === 0) return { claims: [], faults: [] };
  const broken = checked.filter(({ faults }) => faults.length > 0);
  const newer = checked.find((run) => run.newer !== undefined)?.newer;
  const runs = `${checked.length} ${checked.length === 1 ? "run" : "runs"} of sub-agents`;
  const absent =
    missing.length === 0
      ? undefined
      : `not in this store: ${someOf(missing.map((name) => `ctx://${name.slice(0, 12)}`))}`;
  if (broken.length > 0) {
    const names = someOf(broken.map((run) => `ctx://${run.hex.slice(0, 12)}`));
    return {
      claims: [answered("no", `${broken.length} of ${runs} damaged: ${names}`)],
      faults: broken.flatMap(({ faults }) => faults),
    };
  }
  const unknown = absent ?? newer ?? (isCut ? `it has more than the ${runs} that were checked` : undefined);
  return {
    claims: [
      unknown === undefined ? answered("yes", `${runs}, all intact`) : answered("not_checked", unknown),
    ],
    faults: [],
  };
}

function answered(answer: Claim["answer"], detail: string): Claim {
  return { claim: "sub_agents", answer, detail };
}
