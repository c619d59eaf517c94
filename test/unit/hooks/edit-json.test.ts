import { assert, constantFrom, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { CtxError } from "../../../src/base/errors.js";
import { cutItem, insertItem, type OwnParts } from "../../../src/hooks/edit-json.js";
import { type JsonNode, memberOf } from "../../../src/hooks/json-text.js";
import { blockIn, insertBlock } from "../../../src/hooks/shell-block.js";
import { cut, insert, undoing } from "../../../src/hooks/text-edits.js";
import { growthOf, inProportion } from "../../../dev/growth.js";

const path = ["hooks", "SessionEnd"];
const item = { hooks: [{ type: "command", command: "ctx hook run x" }] };
function parts(text: string, entry: JsonNode): OwnParts {
  const list = memberOf(entry, "hooks");
  const isOurs = ({ start, end }: JsonNode): boolean => text.slice(start, end).includes("ctx hook run x");
  return { list, own: list?.items.filter(isOurs) ?? [] };
}

function put(text: string): string {
  return insert(text, insertItem(text, path, { item, name: "s.json" }));
}

function within(list: string): string {
  return `{"hooks":{"SessionEnd":${list}}}`;
}

function take(text: string): string {
  return cut(text, cutItem(text, path, { parts, name: "s.json" }));
}

/** Without comments and commas at the end, so that the engine's own parser reads it. */
function plain(text: string): unknown {
  return JSON.parse(text.replaceAll(/\/\/[^\n]*|\/\*.*?\*\//g, "").replaceAll(/,(?=\s*[}\]])/g, ""));
}

const shapes: Record<string, string> = {
  empty: "{}",
  "an empty line": "{}\n",
  "on two lines": "{\n}\n",
  "other settings": '{\n  "model": "opus"\n}\n',
  "other hooks": '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
  "another hook for the same": '{\n  "hooks": {\n    "SessionEnd": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
  "one line": '{"hooks":{"SessionEnd":[{"hooks":[]}]},"a":1}',
  tabs: '{\n\t"hooks": {\n\t\t"Stop": [1]\n\t},\n\t"z": 0\n}\n',
  "four spaces": '{\n    "a": {\n        "b": 1\n    }\n}\n',
  "carriage returns": '{\r\n  "a": 1\r\n}\r\n',
  comments: '{ // top\n  "a": 1, // one\n  /* "hooks": {} */\n  "b": 2 // two\n  // end\n}\n',
  "a comma at the end": '{\n  "hooks": {\n    "Stop": [],\n  },\n}\n',
  "a byte order mark": '\ufeff{\n  "a": "\\u007d"\n}\n',
};

describe("a hook in JSON settings", () => {
  it.each(Object.entries(shapes))("a hook is added to JSON settings and removed again: %s", (_name, text) => {
    const made = put(text);
    const list = (plain(made.replace("\ufeff", "")) as { hooks: { SessionEnd: unknown[] } }).hooks.SessionEnd;
    expect(list.at(-1)).toEqual(item);
    expect(cut(made, undoing(insertItem(text, path, { item, name: "" })))).toBe(text);
    // Without the memory of the earlier content, everything else still stays as it was.
    const left = take(made);
    expect(left).not.toContain("ctx hook run");
    const { hooks: before, ...others } = plain(text.replace("\ufeff", "")) as { hooks?: object };
    const { hooks: after, ...same } = plain(left.replace("\ufeff", "")) as { hooks?: object };
    expect(same).toEqual(others);
    expect(after ?? {}).toEqual(before ?? {});
  });

  it("adding a hook keeps the style of the settings", () => {
    expect(put(shapes["tabs"] as string)).toBe(
      '{\n\t"hooks": {\n\t\t"Stop": [1],\n\t\t"SessionEnd": [\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n\t\t\t\t\t\t"command": "ctx hook run x"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t"z": 0\n}\n',
    );
    expect(put(shapes["one line"] as string)).toBe(
      `{"hooks":{"SessionEnd":[{"hooks":[]}, ${JSON.stringify(item)}]},"a":1}`,
    );
  });

  it.each([
    ["spaces in a list", (much: string) => [`[1${much}2]`]],
    ["spaces in front of a list's end", (much: string) => [`[1${much}]`]],
    ["spaces without a line end behind ours", (much: string) => [`[ // x\n OURS${much}, 1]`]],
    ["spaces in front of ours", (much: string) => [`[1, // x\n${much}OURS, 2]`]],
    ["comments in front of ours", (much: string) => [`[1, ${much.replaceAll(" ", "//")}\nOURS, 2]`]],
    ["lines in front of ours", (much: string) => [`[1, // x${much.replaceAll(" ", "\n")}OURS, 2]`]],
    ["a long comment", (much: string) => [`[1 /*${much}*/, OURS, 2]`]],
    ["a long text", (much: string) => [`["${much}", OURS, 2]`]],
    ["many of ours", (much: string) => [`[${"OURS, 1, ".repeat(much.length / 64)}2]`]],
  ])("a hook is added to and removed from a megabyte of %s", (_, make) => {
    const settings = (size: number): string => {
      const [list = ""] = make(" ".repeat(size));
      return within(list.replace("1  ", "1,  ").replaceAll("OURS", JSON.stringify(item)));
    };
    const putAndTaken = (size: number): (() => string) => {
      const text = settings(size);
      return () => take(put(text));
    };
    expect(growthOf(putAndTaken, 1 << 14)).toBeLessThan(inProportion);
    expect(putAndTaken(1 << 20)()).not.toContain("ctx hook run");
  });

  it("removing our hook leaves the others, wherever it stands", () => {
    const ours = JSON.stringify(item);
    for (const list of [`[${ours}, 1, 2]`, `[1, ${ours}, 2]`, `[1, 2, ${ours}]`, `[1, 2, ${ours},]`])
      expect(plain(take(`{"hooks":{"SessionEnd":${list}}}`))).toEqual({ hooks: { SessionEnd: [1, 2] } });
    expect(take(`{"hooks":{"SessionEnd":[1 /* a, b */, ${ours}]}}`)).toBe(
      '{"hooks":{"SessionEnd":[1 /* a, b */]}}',
    );
    expect(take(`{"hooks":{"SessionEnd":[${ours}]}}`)).toBe("{}");
    expect(plain(take(`{"a":1,"hooks":{"SessionEnd":[${ours}]},"b":2}`))).toEqual({ a: 1, b: 2 });
  });

  it("our hook is removed also if others were added beside it or it stands there twice", () => {
    const ours = JSON.stringify(item);
    const [command] = item.hooks;
    for (const list of [`[1, ${ours}, ${ours}]`, `[${ours}, ${ours}, 1]`, `[${ours},1,\n${ours}]`])
      expect(JSON.parse(take(`{"hooks":{"SessionEnd":${list}}}`))).toEqual({ hooks: { SessionEnd: [1] } });
    expect(take(`{"hooks":{"SessionEnd":[${ours}, ${ours}]}}`)).toBe("{}");
    const shared = { hooks: { SessionEnd: [{ matcher: "", hooks: [command, { command: "mine" }] }] } };
    expect(JSON.parse(take(JSON.stringify(shared)))).toEqual({
      hooks: { SessionEnd: [{ matcher: "", hooks: [{ command: "mine" }] }] },
    });
  });

  it("adding a hook leaves comments, and what they hide, as they are", () => {
    const ours = JSON.stringify(item);
    for (const [before, after] of [
      [`[1, // mine\n ${ours}]`, "[1 // mine\n ]"],
      [`[1, // mine\n ${ours}, 2]`, "[1, // mine\n  2]"],
      [`[1, // mine\n ${ours}\n]`, "[1 // mine\n]"],
      [`[${ours}, // theirs\n 2]`, "[ // theirs\n 2]"],
      [`[ // theirs\n  ${ours}\n]`, "[ // theirs\n]"],
      [`[1, ${ours} /* a */, 2]`, "[1, /* a */ 2]"],
    ] as const)
      expect(take(within(before)).replaceAll(/ +/g, " ")).toBe(within(after).replaceAll(/ +/g, " "));
    expect(take(`{ // mine\n  "hooks": {"SessionEnd": [${ours}]}\n}\n`)).toBe("{ // mine\n}\n");
    expect(take(`{"hooks": { // mine\n"SessionEnd": [${ours}]}}`)).toBe('{"hooks": { // mine\n}}');
    expect(plain(put("// mine"))).toEqual({ hooks: { SessionEnd: [item] } });
  });

  it.each([
    '{"hooks":[]}',
    '{"hooks":{"SessionEnd":{}}}',
    "[1]",
    '"x"',
    '{"a":}',
    '{"a" 1}',
    "{",
    '{"a":1 "b":2}',
    "{]",
  ])("the settings %s are refused and left unchanged", (text) => expect(() => put(text)).toThrow(CtxError));

  it("removing a hook undoes adding it, on any settings", () => {
    assert(
      property(jsonValue({ maxDepth: 4 }), constantFrom(0, 2, 4, "\t"), (value, indent) => {
        const text = JSON.stringify({ value, hooks: { Stop: value } }, null, indent);
        const insertions = insertItem(text, path, { item, name: "" });
        expect(JSON.parse(insert(text, insertions))).toMatchObject({ hooks: { SessionEnd: [item] } });
        expect(cut(insert(text, insertions), undoing(insertions))).toBe(text);
        expect(take(put(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a hook in a shell script", () => {
  const block = { command: "ctx hook run git", about: "seals", name: "post-commit" };
  it.each(["#!/bin/sh\nexit 0\n", "#!/usr/bin/env bash\nset -e\necho hi", ""])(
    "a hook is added to the shell script %j and removed again",
    (text) => {
      const insertions = insertBlock(text, block);
      const made = insert(text, insertions);
      expect(made).toMatch(/^#![^\n]+\n# >>> ctx: seals\nctx hook run git\n# <<< ctx\n/);
      expect(cut(made, undoing(insertions))).toBe(text);
      expect(cut(made, blockIn(made))).toBe(text === "" ? "#!/bin/sh\n" : text);
    },
  );

  it("a hook is not added to a script for another interpreter", () => {
    expect(() => insertBlock("#!/usr/bin/env python3\nprint(1)\n", block)).toThrow(CtxError);
    expect(() => insertBlock("\u007fELF", block)).toThrow(CtxError);
    expect(blockIn("# >>> ctx: cut off\n")).toEqual([]);
  });
});
