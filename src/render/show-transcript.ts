// Renders a run from beginning to end: prompts, messages, and calls with their parameters and outputs, in
// full. Plain text, so that any pager can search it. Only headings begin in the first column, so that no
// content can be mistaken for one.
import { printable } from "../base/printable.js";
import { failureOf } from "../model/failed-calls.js";
import type { Step } from "../model/manifest.js";
import type { FollowedPart, PartContent, ShowPartResult } from "../results/show.js";
import { type Paint, shortHash, sizeText, timeText } from "./layout.js";
import { contentText, memberLines } from "./show-part.js";

const plain: Paint = (_style, text) => text;

/** Renders part after part. `unread` returns why a content could not be read, if it could not. */
export function* renderTranscript(
  parts: Iterable<ShowPartResult>,
  unread: (content: PartContent) => string | undefined,
): Generator<string> {
  let isFirst = true;
  for (const part of parts) {
    if (isFirst) yield `ctx://${part.pack.slice("sha256:".length)}\n`;
    isFirst = false;
    yield `\n${partText(part, unread)}`;
  }
}

/** Renders one part, with its heading. */
export function partText(
  part: ShowPartResult | FollowedPart,
  unread: (content: PartContent) => string | undefined = () => undefined,
): string {
  const body = (content: PartContent): string => {
    const problem = unread(content);
    return indented(problem === undefined ? contentText(content, plain) : `(${printable(problem)})`);
  };
  switch (part.part) {
    case "system":
      return `== system prompt  ${sizeText(part.content.size)}\n${body(part.content)}`;
    case "prompt":
      return `== prompt ${part.index}  ${printable(part.role)}\n${body(part.content)}`;
    case "step":
      return `${stepHead(part.step)}\n${stepBody(part, body)}`;
    case "input":
    case "output":
      return `== ${part.part}  ${printable(part.name)}\n${body(part.content)}`;
  }
}

function stepHead(step: Step): string {
  const facts = [`== step ${step.index}`, printable(step.tool ?? step.type)];
  const kind = step.type === "context" ? step.metadata?.["kind"] : undefined;
  if (typeof kind === "string") facts.push(printable(kind));
  if (step.timestamp !== undefined) facts.push(timeText(step.timestamp));
  const failure = failureOf(step);
  if (failure !== undefined) facts.push(failure);
  if (step.metadata?.["abandoned"] === true) facts.push("abandoned");
  return facts.join("  ");
}

function stepBody(
  { step, output, seen }: Extract<FollowedPart, { part: "step" }>,
  body: (content: PartContent) => string,
): string {
  const parameters = memberLines(step.parameters, plain).map((line) => `${line}\n`);
  const text = [parameters.join("")];
  if (step.pack !== undefined) text.push(`  sub-run  ctx://${shortHash(step.pack)}\n`);
  if (output !== undefined) {
    if (parameters.length > 0) text.push(`-- output  ${sizeText(output.size)}\n`);
    text.push(body(output));
  } else if (step.tool !== undefined) text.push("-- no output was recorded\n");
  if (seen !== undefined) text.push(`-- seen by the model  ${sizeText(seen.size)}\n${body(seen)}`);
  return text.join("");
}

function indented(text: string): string {
  return text === "" ? "" : `${text.replaceAll(/^(?=.)/gm, "  ")}\n`;
}
