import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/cli/command.js";
import { ignoringClosedPipe } from "../../../src/cli/output.js";
import { print, printList } from "../../../src/cli/print.js";
import { ClosedPipe, type OutputStream } from "../../../src/cli/terminal.js";

function stream(): OutputStream & { text: string } {
  return {
    text: "",
    isTerminal: false,
    screen: { width: 40, colour: false },
    write(text) {
      this.text += text.toString();
    },
  };
}

function callTo(out: OutputStream, json: boolean): Call {
  const terminal = { out, error: stream(), env: {} } as unknown as Call["terminal"];
  return { arguments: [], options: new Map(), lists: new Map(), folder: "/", json, terminal };
}

const noRenderer = (): never => expect.unreachable();

describe("print", () => {
  it("print writes the rendered text for the width of the stream", async () => {
    const out = stream();
    await print(callTo(out, false), { a: 1 }, ({ width }) => `text for ${width} columns\n`);
    await print(callTo(out, false), { a: 1 }, () => "paged\n", { paged: true });
    expect(out.text).toBe("text for 40 columns\npaged\n");
  });

  it("print --json writes one line of JSON and calls no renderer", async () => {
    const out = stream();
    await print(callTo(out, true), { b: 2, a: 1 }, noRenderer);
    await printList(callTo(out, true), [{ a: 1 }, { a: 2 }], noRenderer, { paged: true });
    await printList(callTo(out, true), [], noRenderer);
    expect(out.text).toBe('{"a":1,"b":2}\n{"a":1}\n{"a":2}\n');
  });

  it("print can write to another stream", async () => {
    const [out, other] = [stream(), stream()];
    for (const json of [true, false]) await print(callTo(out, json), {}, () => "text\n", { out: other });
    expect([out.text, other.text]).toEqual(["", "{}\ntext\n"]);
  });

  it("print fails when the pipe is closed, unless the command ignores that", async () => {
    const out = stream();
    out.write = () => {
      throw new ClosedPipe();
    };
    const printed = (): Promise<void> => print(callTo(out, false), {}, () => "text\n");
    await expect(printed()).rejects.toThrow(ClosedPipe);
    await expect(ignoringClosedPipe(printed)).resolves.toBeUndefined();
  });
});
