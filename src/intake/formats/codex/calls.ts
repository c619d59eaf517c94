// Matches Codex calls with their results. The output shown to the model, events about the end of a call, and
// polls of a background command all describe the same step.
import { ExactInteger, type JsonObject } from "../../../base/json/value.js";
import { toolUse } from "../../../tools/table.js";
import { defined, valueAt } from "../../json-access.js";
import type { ResultEntry, Status } from "../../run-entries.js";
import { applyPatch, shownBy } from "./patches.js";
import { isCut, type CodexReturned, returnedBy } from "./output.js";
import { settleUsers } from "./prompts.js";
import { atOf, type CallEnd, type CodexRun, type Running, type CodexResult } from "./run.js";

export interface CodexCall {
  id: string | undefined;
  tool: string;
  parameters: JsonObject;
  time: string | undefined;
  isServer?: boolean;
  /** Whether it runs a script that calls tools. */
  isScript?: boolean;
  metadata?: JsonObject;
}

export function takeCall(run: CodexRun, call: CodexCall): void {
  const { builder, calls } = run;
  const { id, tool, parameters, isServer = false, isScript = false } = call;
  if (id !== undefined && !isNew(run, `${isServer ? "server call" : "call"} ${id}`)) return;
  settleUsers(run);
  if (!isServer) calls.group ??= id;
  const together = isServer ? undefined : calls.group;
  builder.call({ ...atOf(run, call.time, call.metadata), id, tool, parameters, isServer, together });
  if (id === undefined) return;
  calls.answered.delete(id);
  calls.ends.delete(id);
  if (!isServer) calls.open.add(id);
  // Of scripts that are never answered, only the last ones are remembered.
  if (isScript) calls.scripts = [...calls.scripts.slice(-20), id];
  const early = calls.early.get(id);
  calls.early.delete(id);
  if (early !== undefined) takeOutput(run, id, early);
}

/** Returns whether a record is new; records copied from another log are counted. */
export function isNew(run: CodexRun, name: string): boolean {
  if (run.items.has(name)) {
    run.builder.coverage.duplicates++;
    return false;
  }
  run.items.add(name);
  return true;
}

/** Reads the result of a call as the model was shown it. */
export function takeOutput(run: CodexRun, id: string | undefined, result: CodexResult): void {
  const { builder, calls } = run;
  const call = builder.callOf(id);
  if (id !== undefined && (calls.answered.has(id) || calls.early.has(id))) {
    builder.coverage.duplicates++;
    return;
  }
  if (id !== undefined && call === undefined) {
    calls.early.set(id, result);
    return;
  }
  settleUsers(run);
  calls.group = undefined;
  const returned = returnedBy(result.value);
  if (id === undefined || call === undefined) {
    builder.result(id, entryOf(run, { returned, time: result.time }));
    return;
  }
  calls.answered.add(id);
  calls.open.delete(id);
  const polled = polledBy(call);
  const background = polled === undefined ? undefined : calls.running.get(polled);
  if (polled !== undefined) {
    // The exit status is that of the command; the poll itself succeeded.
    const isFine = returned.hasHeader && returned.status === "error";
    const poll: CodexReturned = { ...returned, status: isFine ? "ok" : returned.status };
    builder.result(id, entryOf(run, { returned: poll, time: result.time }));
    if (background === undefined || !returned.hasHeader) return;
    background.parts.push(String(returned.output));
    background.isCut ||= returned.isCut;
    if (!returned.isEnded) return;
    calls.running.delete(polled);
    conclude(run, background, returned);
  } else if (returned.running === undefined) finish(run, id, { returned, time: result.time });
  else {
    builder.see({ time: result.time });
    const { seen, isCut, metadata } = returned;
    builder.show(id, seen);
    if (isCut) builder.coverage.truncated++;
    calls.inBackground.add(id);
    calls.running.set(returned.running, { id, seen, isCut, metadata, parts: [String(returned.output)] });
  }
}

/** Reads an event about the end of a call. */
export function takeEnd(run: CodexRun, id: string | undefined, end: CallEnd): void {
  const { builder, calls } = run;
  if (id !== undefined && calls.ends.has(id)) {
    builder.coverage.duplicates++;
    return;
  }
  builder.see({ time: end.time });
  if (id !== undefined && builder.callOf(id) !== undefined) {
    calls.ends.set(id, end);
    if (calls.answered.has(id) && !calls.inBackground.has(id))
      noteOnCall(run, id, defined({ exit_code: end.exitCode, ...end.metadata }));
    return;
  }
  settleUsers(run);
  // A call that no item names was made by a script of the model's, or its beginning is not in the log.
  const script = openScript(run);
  const { tool, parameters, time } = end;
  if (script !== undefined) builder.call({ ...atOf(run, time, { within: script }), id, tool, parameters });
  builder.result(id, {
    output: end.output,
    status: end.status,
    time,
    origin: { tool, parameters },
    metadata: defined({
      tool: script === undefined ? tool : undefined,
      exit_code: end.exitCode,
      ...end.metadata,
    }),
  });
  if (id !== undefined) {
    calls.ends.set(id, { ...end, output: undefined });
    calls.answered.add(id);
  }
}

/** Returns the script that is running, if any. */
export function openScript(run: CodexRun): string | undefined {
  return run.calls.scripts.findLast((id) => run.calls.open.has(id));
}

/** Adds metadata to an earlier call. */
export function noteOnCall(run: CodexRun, id: string | undefined, metadata: JsonObject): void {
  const call = run.builder.callOf(id);
  if (id !== undefined && call !== undefined) run.builder.setStatus(id, call.status as Status, metadata);
}

/** Marks open calls of an aborted turn: they will hardly be answered. */
export function abortCalls(run: CodexRun, reason: string | undefined): void {
  for (const id of run.calls.open) run.builder.setStatus(id, "interrupted", defined({ reason }));
  run.calls.open.clear();
  run.calls.group = undefined;
}

/** Adds results without a call, at the end of the turn, as steps of their own. */
export function endTurn(run: CodexRun): void {
  const { early, answered } = run.calls;
  run.calls.group = undefined;
  for (const [id, { value, time }] of early) {
    early.delete(id);
    answered.add(id);
    run.builder.result(id, entryOf(run, { returned: returnedBy(value), time }));
  }
}

/** At the end of the log, adds background commands that still run, and calls that only events mention. */
export function settleCalls(run: CodexRun): void {
  endTurn(run);
  const { calls, builder } = run;
  for (const background of calls.running.values()) conclude(run, background, undefined);
  for (const [id, end] of calls.ends) {
    if (calls.answered.has(id)) continue;
    const { output, status, exitCode, time } = end;
    builder.result(id, { output, status, time, metadata: defined({ ...end.metadata, exit_code: exitCode }) });
  }
}

/** Returns the session or cell that a call polls. */
function polledBy({ tool, parameters }: { tool: string; parameters: JsonObject }): string | undefined {
  const [kind, name] =
    tool === "write_stdin"
      ? ["session", "session_id"]
      : tool === "wait"
        ? ["cell", "cell_id"]
        : [undefined, ""];
  const id = valueAt(parameters, name);
  const isId = typeof id === "number" || typeof id === "string" || id instanceof ExactInteger;
  return kind === undefined || !isId ? undefined : `${kind} ${String(id)}`;
}

function finish(
  run: CodexRun,
  id: string,
  result: { returned: CodexReturned; time: string | undefined },
): void {
  const end = run.calls.ends.get(id);
  const entry = entryOf(run, { ...result, end });
  run.builder.result(id, entry);
  takeEffect(run, id, entry);
  // Texts are not held longer than needed: a log may have many.
  if (end !== undefined) run.calls.ends.set(id, { ...end, output: undefined });
}

function entryOf(
  run: CodexRun,
  { returned, time, end }: { returned: CodexReturned; time: string | undefined; end?: CallEnd | undefined },
): ResultEntry {
  const output = bestOf(returned, end);
  const isShort = typeof output === "string" && returned.isCut && isCut(output);
  if (isShort) run.builder.coverage.truncated++;
  const status =
    end?.status === "denied" || returned.status === "ok" ? (end?.status ?? "ok") : returned.status;
  const isDone = status === "ok" || status === "error";
  const metadata = defined({
    ...end?.metadata,
    ...returned.metadata,
    exit_code: isDone ? (returned.exitCode ?? end?.exitCode) : undefined,
    truncated: isShort ? true : undefined,
  });
  return { output, seen: returned.seen, status, time, metadata };
}

/** Returns the more complete of two copies of one output. */
function bestOf(returned: CodexReturned, end: CallEnd | undefined): string | Buffer {
  if (end?.output === undefined) return returned.output;
  if (end.isExact) return end.output;
  const isLonger = returned.isCut && !isCut(end.output) && end.output.length > returned.output.length;
  return isLonger ? end.output : returned.output;
}

/** Assembles the output of a background command; `last` is the poll that saw its end. */
function conclude(run: CodexRun, background: Running, last: CodexReturned | undefined): void {
  const { id, seen, parts, metadata } = background;
  run.calls.inBackground.delete(id);
  const end = run.calls.ends.get(id);
  const joined = parts.join("");
  const isPartial = background.isCut || last === undefined;
  const isBetter =
    isPartial && end?.output !== undefined && !isCut(end.output) && end.output.length > joined.length;
  const entry: ResultEntry = {
    output: isBetter ? end.output : joined,
    seen,
    status: last?.status ?? end?.status ?? "ok",
    metadata: defined({
      ...end?.metadata,
      ...metadata,
      exit_code: last?.exitCode ?? end?.exitCode,
      truncated: background.isCut && !isBetter ? true : undefined,
    }),
  };
  run.builder.result(id, entry);
  if (last !== undefined) run.builder.coverage.rebuilt("outputs of commands that ran on, from their polls");
  takeEffect(run, id, entry);
  if (end !== undefined) run.calls.ends.set(id, { ...end, output: undefined });
}

/** Notes the files that a call read or changed. */
function takeEffect(run: CodexRun, id: string, entry: ResultEntry): void {
  const call = run.builder.callOf(id);
  if (call === undefined || entry.status !== "ok") return;
  const { files } = run.builder;
  const use = toolUse(call.tool, call.parameters, "codex");
  if (use?.action === "patch" && use.format === "v4a" && !run.calls.changed.has(id))
    applyPatch(files, use.text, run.cwd);
  const path = shownBy(call.tool, call.parameters, run.cwd);
  const { output, metadata } = entry;
  if (path === undefined || typeof output !== "string" || metadata?.["exit_code"] !== 0) return;
  // A terminal changes line ends, and loses bytes that are not text.
  if (metadata["truncated"] !== true && !/[\r\ufffd\0]/.test(output)) files.see(path, output);
}
