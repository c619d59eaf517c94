// The screens of the commands that prove what a pack says, and of the plumbing.
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli } from "../../dev/cli.js";
import { tempStore } from "../../dev/folders.js";
import { json, runLog } from "../../dev/logs.js";
import { inUtc, screen as screenIn } from "../../dev/screens.js";
import { githubToken, password } from "../../dev/secrets.js";

inUtc();

let folder: string;
const screen = (width: number, argv: string[], status = 0): Promise<string> =>
  screenIn(folder, width, argv, { status });

beforeAll(async () => {
  ({ folder } = tempStore());
  fs.writeFileSync(join(folder, "answer.txt"), "2\n");
  await cli(["pack", "-", "--tag", "good"], { folder, input: json(runLog()) });
  fs.writeFileSync(join(folder, "notes.env"), `# mine\nTOKEN=${githubToken()}\nDB_PASSWORD="${password}"\n`);
});

describe("screen of ctx verify", () => {
  it("ctx verify at 60 columns has every claim", async () => {
    expect(await screen(60, ["verify", "answer.txt"])).toMatchInlineSnapshot(`
      "
      answer.txt  verified
        yes          content  the bytes of output answer.txt of
                              ctx://a464e7387e32
        yes          pack     the manifest and 5 contents match
                              their hashes
        yes          lineage  it has no parent
        yes          sidecar  it names the recorded pack, inputs
                              and tools
        yes          remarks  as in the pack: confidence
        not checked  step     no single step contains all these
                              bytes; ctx does not reconstruct
                              files from edits
        see also:
          ctx show a464e7387e32
          ctx cat 53c234e5e847
          ctx verify a464e7387e32
          ctx replay a464e7387e32 --plan

      This does not prove
        that the log is true: ctx proves that a record was not
          changed, not that it was right
        who made the record, and when: a hash names bytes, not
          people
      "
    `);
  });
  it("ctx verify at 80 columns has every claim", async () => {
    expect(await screen(80, ["verify", "answer.txt"])).toMatchInlineSnapshot(`
      "
      answer.txt  verified
        yes          content  the bytes of output answer.txt of ctx://a464e7387e32
        yes          pack     the manifest and 5 contents match their hashes
        yes          lineage  it has no parent
        yes          sidecar  it names the recorded pack, inputs and tools
        yes          remarks  as in the pack: confidence
        not checked  step     no single step contains all these bytes; ctx does not
                              reconstruct files from edits
        see also:
          ctx show a464e7387e32
          ctx cat 53c234e5e847
          ctx verify a464e7387e32
          ctx replay a464e7387e32 --plan

      This does not prove
        that the log is true: ctx proves that a record was not changed, not that it
          was right
        who made the record, and when: a hash names bytes, not people
      "
    `);
  });
  it("ctx verify at 120 columns has every claim", async () => {
    expect(await screen(120, ["verify", "answer.txt"])).toMatchInlineSnapshot(`
      "
      answer.txt  verified
        yes          content  the bytes of output answer.txt of ctx://a464e7387e32
        yes          pack     the manifest and 5 contents match their hashes
        yes          lineage  it has no parent
        yes          sidecar  it names the recorded pack, inputs and tools
        yes          remarks  as in the pack: confidence
        not checked  step     no single step contains all these bytes; ctx does not reconstruct files from edits
        see also:
          ctx show a464e7387e32
          ctx cat 53c234e5e847
          ctx verify a464e7387e32
          ctx replay a464e7387e32 --plan

      This does not prove
        that the log is true: ctx proves that a record was not changed, not that it was right
        who made the record, and when: a hash names bytes, not people
      "
    `);
  });
});

describe("screen of ctx verify of a changed file", () => {
  it("ctx verify of a changed file says which bytes were recorded", async () => {
    const changed = tempStore().folder;
    fs.writeFileSync(join(changed, "answer.txt"), "2\n");
    await cli(["pack", "-"], { folder: changed, input: json(runLog()) });
    fs.writeFileSync(join(changed, "answer.txt"), "3\n");
    expect(await screenIn(changed, 80, ["verify", "answer.txt"], { status: 1 })).toMatchInlineSnapshot(`
      "
      answer.txt  modified
        no           content  ctx://a464e7387e32 has no output with these bytes
        yes          pack     the manifest and 5 contents match their hashes
        yes          lineage  it has no parent
        yes          sidecar  it names the recorded pack, inputs and tools
        yes          remarks  as in the pack: confidence
        it was output answer.txt of ctx://a464e7387e32; since then:
          @@ -1 +1 @@
          -2
          +3
        see also:
          ctx show a464e7387e32
          ctx cat 53c234e5e847
          ctx verify a464e7387e32
          ctx replay a464e7387e32 --plan
      "
    `);
  });
});

describe("screen of ctx scan", () => {
  it("ctx scan at 60 columns has where each secret is", async () => {
    expect(await screen(60, ["scan", "notes.env"], 1)).toMatchInlineSnapshot(`
      "
      notes.env  2 found
        line 2  github-token
        line 3  named-secret

      Rotate first: revoke each of these where it was issued.
      Removing it here does not help if someone has already
      read it.
      "
    `);
  });
  it("ctx scan at 80 columns has where each secret is", async () => {
    expect(await screen(80, ["scan", "notes.env"], 1)).toMatchInlineSnapshot(`
      "
      notes.env  2 found
        line 2  github-token
        line 3  named-secret

      Rotate first: revoke each of these where it was issued. Removing it here
      does not help if someone has already read it.
      "
    `);
  });
  it("ctx scan at 120 columns has where each secret is", async () => {
    expect(await screen(120, ["scan", "notes.env"], 1)).toMatchInlineSnapshot(`
      "
      notes.env  2 found
        line 2  github-token
        line 3  named-secret

      Rotate first: revoke each of these where it was issued. Removing it here does not help if someone has already read
      it.
      "
    `);
  });
});

describe("screen of ctx cat", () => {
  it("ctx cat has the content alone", async () => {
    expect(await screen(80, ["cat", "53c234e5e847"])).toMatchInlineSnapshot(`
      "
      2
      "
    `);
  });
});

describe("screen of ctx completion", () => {
  it("ctx completion opens with the command that made it", async () => {
    const text = await screen(80, ["completion", "bash"]);
    expect(text.split("\n").slice(0, 6).join("\n")).toMatchInlineSnapshot(`
      "
      # Completion of ctx for bash, made by: ctx completion bash
      _ctx() {
        local IFS=$' \\t\\n' word line head breaks= files= folders= glue= i
        local -a words=()
        COMPREPLY=()"
    `);
  });
});
