// Logs of other agents: every run in a log becomes a pack, and so does every run that a sub-agent did in it.
import { toReference } from "../base/digest.js";
import { CtxError } from "../base/errors.js";
import { isObject } from "../base/json/value.js";
import { Coverage } from "../intake/coverage.js";
import type { Format } from "../intake/format.js";
import type { LogSource } from "../intake/log-source.js";
import type { ExecutionLog } from "../model/log.js";
import { buildManifest, createdOf } from "../model/manifest.js";
import type { Redactions } from "../model/redactions.js";
import type { RedactingSink } from "../redact/redacting-sink.js";
import type { Redaction } from "../redact/settings.js";
import { SharedSecrets } from "../redact/shared-secrets.js";
import type { AddedPack, Batch } from "../store/batch-lock.js";
import { importedResult } from "./imported-result.js";
import type { ReadableLog } from "./stage.js";

/** A log whose format is known. */
export interface AgentLog {
  source: LogSource;
  format: Format;
  /** The log's name in the result. */
  name: string;
}

export interface AgentLogOptions {
  redaction: Redaction;
  /** Overrides the time of the log's own runs. Those of sub-agents keep their times, if they have any. */
  created: string | undefined;
  /** Timestamp for runs whose log has none. Default: now. */
  at?: string | undefined;
  /** The prompt of a run whose log does not hold it. */
  prompt?: string | undefined;
}

interface BuiltRun {
  added: AddedPack;
  redactions: Redactions | undefined;
  /** Number of contents that are not text. */
  unsearched: number;
}

/** A run that another run started. */
interface SubRun extends BuiltRun {
  agent: string;
}

/** Returns a log that is read while its runs are built, because their contents may not fit into memory. */
export function agentLog({ source, format, name }: AgentLog, options: AgentLogOptions): ReadableLog {
  const { created, redaction } = options;
  const build: ReadableLog["build"] = ({ batch, redacting }) => {
    const coverage = new Coverage();
    const subs: SubRun[] = [];
    let isSubEmpty = true;
    const now = options.at ?? new Date().toISOString();
    const redactors = new Map<ExecutionLog, RedactingSink>();
    const shared = new SharedSecrets();
    const add = (run: ExecutionLog, own: string | undefined): BuiltRun =>
      addRun(batch, run, { created: own, now, redactor: redactors.get(run) as RedactingSink });
    const runs = format.read(source, {
      keeper() {
        const redactor = redacting({ shared });
        return {
          keep: (bytes, origin) => redactor.from(origin).addBytes(bytes),
          finish: (run) => void redactors.set(run, redactor),
        };
      },
      seal(run, { agent }) {
        const built = add(run, createdOf(run) ?? created);
        subs.push({ ...built, agent });
        isSubEmpty &&= isEmpty(run);
        return toReference(built.added.hex);
      },
      coverage,
      prompt: options.prompt,
    });
    // A session may hold nothing but its sub-agents' work.
    if (runs.length === 0 || (isSubEmpty && runs.every(isEmpty)))
      throw new CtxError("no-run", `${source.name} contains no run: it has no prompt, message or tool call`, {
        hint: `it was read as ${format.name}; \`--from\` reads it in another format`,
      });
    if (runs.length > 1) for (const run of runs) noteLog(run, coverage);
    const mains = runs.map((run) => add(run, created ?? createdOf(run)));
    const main = mains.map(({ added }) => added);
    const notices = [...redaction.notices, ...noticesOf(coverage, name)];
    return {
      packs: [...subs.map((sub) => sub.added), ...main],
      main,
      finish(added) {
        const others = added
          .slice(0, subs.length)
          .map((sub, index) => ({ ...(subs[index] as SubRun), added: sub }));
        const about = { source: name, format: format.name, redaction };
        return added.slice(subs.length).map((done, index) => {
          const isFirst = index === 0;
          const run = { ...(mains[index] as BuiltRun), added: done };
          return importedResult(run, {
            ...about,
            subs: isFirst ? others : [],
            notices: isFirst ? notices : [],
          });
        });
      },
    };
  };
  return { isTimeless: format.isTimeless === true, build };
}

function noticesOf(coverage: Coverage, name: string): string[] {
  return coverage.notices().map((text) => `${name === "-" ? "standard input" : name}: ${text}`);
}

/** Notes the coverage of records that belong to no particular run in each run. */
function noteLog({ metadata = {} }: ExecutionLog, coverage: Coverage): void {
  const own = metadata["coverage"];
  if (coverage.isClean || own === undefined || !isObject(own)) return;
  metadata["coverage"] = { ...own, log: coverage.toJson([]) };
}

function isEmpty(run: ExecutionLog): boolean {
  return (run.prompts ?? []).length === 0 && (run.steps ?? []).length === 0;
}

function addRun(
  batch: Batch,
  run: ExecutionLog,
  { created, now, redactor }: { created: string | undefined; now: string; redactor: RedactingSink },
): BuiltRun {
  const manifest = buildManifest(run, created ?? now, (content, origin) => {
    if ("bytes" in content) return redactor.from(origin).addBytes(content.bytes);
    throw new TypeError("a run from an agent's log names no files");
  });
  const redactions = redactor.finish(manifest);
  const added = batch.addPack(manifest, { once: created === undefined });
  return { added, redactions, unsearched: redactor.unsearched };
}
