// Tells what was said before a run from the run itself: a program that keeps a conversation sends all of it with the
// first request of each turn. The calls in it were made by earlier runs.
import { canonicalText } from "../../../base/json/canonical.js";
import type { CallLinks } from "./calls.js";
import type { SpanPosition } from "./kinds.js";
import type { MessagePart, SpanMessage } from "./parts.js";
import type { Span } from "./span.js";

/** The role of messages from before the run. */
const past = "history";

export class ContinuedAgents {
  readonly #begun = new Set<Span>();

  /**
   * Returns the indices of those messages of a request that are from before the agent's span: all up to the last that
   * no user wrote, without the user's last one, which the run answers.
   */
  pastIn(
    span: Span,
    messages: readonly SpanMessage[],
    positions: ReadonlyMap<Span, SpanPosition>,
  ): ReadonlySet<number> {
    const { kind, above } = positions.get(span) as SpanPosition;
    const agent = kind === "agent" ? span : above.find((each) => positions.get(each)?.kind === "agent");
    if (agent?.isTurn !== true || this.#begun.has(agent)) return new Set();
    this.#begun.add(agent);
    const last = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool");
    const prompt = messages.findLastIndex(({ role }) => role === "user");
    const indices = messages.slice(0, last + 1).map((_, index) => index);
    return new Set(indices.filter((index) => index !== prompt));
  }
}

/**
 * Returns a message from before the run, as text. A system prompt stays one; a result stays one if its call is in the
 * log: a program may execute the calls of a run after its end.
 */
export function pastOf(
  { role, parts }: SpanMessage,
  links: CallLinks,
  scope: string,
): { role: string; parts: MessagePart[] }[] {
  if (role === "system" || parts.length === 0) return [{ role, parts }];
  const left = parts.filter((part) => part.kind !== "response" || !links.onResult(part, scope));
  const text = left.map(textOf).filter((each) => each !== "");
  if (text.length === 0) return [];
  return [{ role: past, parts: [{ kind: "text", text: `${role}: ${text.join("\n")}` }] }];
}

function textOf(part: MessagePart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "call":
      return `${part.tool} ${canonicalText(part.parameters ?? {})}`;
    case "response":
      return part.output ?? "";
    default:
      return "";
  }
}
