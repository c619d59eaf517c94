// `ctx pack`: a pipeline from logs to packs.
//
//   read    seal/open-log.ts opens a log and recognises its format; seal/own-log.ts reads one of ours, or a
//           draft, and seal/agent-log.ts that of another agent, with the reader of its format in intake/
//   redact  redact/redacting-sink.ts masks secrets in each content on its way into the batch
//   build   the manifest of each run is built, and staged in the batch
//   commit  store/commit-group.ts makes the packs of many logs durable at once
//
// Outcomes are reported in the order of the inputs, when they are durable.
import { CtxError } from "../base/errors.js";
import { allFormats } from "../intake/formats.js"; // Lazy in bundles.
import { nativeName } from "../intake/recognise.js";
import { parseTime } from "../model/times.js";
import { maskedError, type Redaction, type RedactionOptions, redactionOf } from "../redact/settings.js";
import type { FormatResult } from "../results/intake.js";
import type { PackResult } from "../results/results.js";
import { agentLog } from "../seal/agent-log.js"; // Lazy in bundles.
import { withLogOrDraft } from "../seal/log-or-draft.js";
import { type AnyLog, isStream, type LogInput, type OpenLog, withOpenLog } from "../seal/open-log.js";
import { type ReadableLog, stageLog } from "../seal/stage.js";
import { commitInGroups, type StagedOutcome, valueOf } from "../store/commit-group.js";
import type { Store } from "../store/store.js";

export type { RedactionOptions } from "../redact/settings.js";
export type { AnyLog, LogInput } from "../seal/open-log.js";

export interface PackOptions extends RedactionOptions {
  /** Overrides the time of the run. */
  created?: string;
  /** Write sidecars beside outputs that are on disk. Default: true. */
  sidecars?: boolean;
  /** Also seal an unedited draft, which equals its parent. */
  allowEmpty?: boolean;
  /**
   * Remove the sealed draft once the pack is durable; `content` keeps the folder itself, because a process is
   * in it.
   */
  remove?: boolean | "content";
}

export interface PackAllOptions extends PackOptions {
  /** The format. Without it, the format is recognised by the log's content. */
  from?: string;
  /** The prompt of a run whose log does not hold it. */
  prompt?: string;
  /** Timestamp for runs whose log has none, such as the time of its file. Default: now. */
  at?: string;
  /** Called now and then with the number of bytes read and the size of the file. */
  progress?: (done: number, of: number) => void;
}

/** A log, and options for it alone. */
export type PackManyInput = AnyLog & {
  options?: Pick<PackAllOptions, "created" | "from" | "prompt" | "at" | "remove">;
};

export interface PackManyOptions extends PackAllOptions {
  /**
   * Called for each log, in the order of the inputs, when its packs are durable: with one result for each run
   * in it, and the position of the log among the inputs.
   */
  onResult?: (results: PackResult[], index: number) => void;
  /**
   * Called with the error of a log that could not be packed. Without it, the first error is thrown after all
   * other logs are packed.
   */
  onError?: (error: CtxError, index: number) => void;
}

/** Options that other verbs use, and the library does not offer. */
export interface PipelineOptions extends PackAllOptions {
  /** What to redact. Default: as the options and the settings say. */
  redaction?: Redaction;
  /** Count only what is masked now, even if the log says what was masked in it before. */
  isFirstMasking?: boolean;
  /** Accept only logs in ctx's own format, and drafts. */
  isOwn?: boolean;
}

/** A log, with a function that opens it if its path could lead elsewhere by now. */
export type PipelineInput = PackManyInput & { open?: () => number };

/**
 * Seals one log in ctx's own format, or a draft. All problems with it are reported at once, and then nothing
 * is written.
 */
export function pack(store: Store, input: LogInput, options: PackOptions = {}): PackResult {
  const [result] = packAll(store, input, { ...options, isOwn: true });
  return result as PackResult;
}

/** Seals every run that a log holds, in its order. */
export function packAll(store: Store, input: AnyLog, options: PipelineOptions = {}): PackResult[] {
  const outcomes: StagedOutcome<PackResult[]>[] = [];
  packLogs(store, [input], options, (outcome) => outcomes.push(outcome));
  return outcomes.flatMap(valueOf);
}

/**
 * Seals every run that several logs hold. They are committed in groups, which takes far less time than one by
 * one. A bad log does not stop the others.
 */
export function packMany(
  store: Store,
  inputs: Iterable<PackManyInput>,
  options: PackManyOptions & PipelineOptions = {},
): void {
  const { onResult, onError } = options;
  const errors: CtxError[] = [];
  packLogs(store, inputs, options, (outcome, index) => {
    if ("value" in outcome) onResult?.(outcome.value, index);
    else if (!(outcome.error instanceof CtxError)) throw outcome.error;
    else if (onError === undefined) errors[0] ??= outcome.error;
    else onError(outcome.error, index);
  });
  if (errors[0] !== undefined) throw errors[0];
}

/** The pipeline. Reports one outcome for each log, in their order; all errors pass through here once. */
export function packLogs(
  store: Store,
  inputs: Iterable<PipelineInput>,
  options: PipelineOptions,
  onOutcome: (outcome: StagedOutcome<PackResult[]>, index: number) => void,
): void {
  const { redaction = redactionOf(store, options) } = options;
  commitInGroups<PipelineInput, PackResult[]>(
    store,
    inputs,
    ({ options: own, open, ...input }, group) => {
      // A stream may be slow: commit the logs before it first.
      if (isStream(input)) group.commit();
      const all = { ...options, ...own, redaction, open };
      withOpenLog(input, all, (opened) =>
        withLog(store, opened, all, (log) => stageLog(store, group, log, redaction)),
      );
    },
    (outcome, index) =>
      onOutcome("error" in outcome ? { error: maskedError(redaction, outcome.error) } : outcome, index),
  );
}

/** Calls `use` with a log that is ready to be redacted and built. */
function withLog(
  store: Store,
  opened: OpenLog,
  options: PipelineOptions & { redaction: Redaction },
  use: (log: ReadableLog) => void,
): void {
  const { redaction, remove = false } = options;
  const isAgents = "format" in opened;
  if (isAgents && remove !== false)
    throw new CtxError("usage", `${opened.name} is not a draft of \`ctx fork\`, so --rm will not remove it`, {
      hint: "leave out --rm",
    });
  const created = options.created === undefined ? undefined : timeOption(options.created);
  if (isAgents) {
    const { at, prompt } = options;
    use(agentLog(opened, { redaction, created, at, prompt }));
  } else {
    const { sidecars = true, allowEmpty = false, isFirstMasking = false } = options;
    withLogOrDraft(store, opened, { redaction, created, sidecars, allowEmpty, isFirstMasking, remove }, use);
  }
}

function timeOption(text: string): string {
  const time = parseTime(text);
  if (typeof time !== "string") return time.text;
  throw new CtxError("usage", `--created ${text}: ${time}`);
}

/** Returns the formats that `from` accepts. */
export function listFormats(): FormatResult[] {
  const own = {
    name: nativeName,
    title: "ctx's own execution log",
    from: "any program that writes it; see `ctx help format`",
  };
  const others = allFormats().map(({ name, title, from }) => ({ name, title, from }));
  // Sorted by name; recognition tries them in another order.
  return [own, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
