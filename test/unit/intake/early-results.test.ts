// A result that comes before its call is judged with the call once that is known.
import { expect, it } from "vitest";
import { Coverage } from "../../../src/intake/coverage.js";
import { RunBuilder } from "../../../src/intake/run-builder.js";
import type { ContentOrigin } from "../../../src/model/manifest.js";
import { namesOnly } from "../../../src/store/content-sink.js";

it("run builder: an early result is kept again with the tool of its call as origin", () => {
  const kept: { text: string; origin: ContentOrigin | undefined }[] = [];
  const builder = new RunBuilder({
    format: "x",
    agent: "x",
    coverage: new Coverage(),
    keeper: () => ({
      keep(bytes, origin) {
        kept.push({ text: bytes.toString(), origin });
        return namesOnly.addBytes(bytes);
      },
      finish: () => undefined,
    }),
  });
  builder.result("c1", { output: "printed", seen: "seen", status: "ok" });
  builder.call({ id: "c1", tool: "bash", parameters: { command: "gh auth token" } });
  const judged = kept.filter(({ origin }) => origin?.tool === "bash").map(({ text }) => text);
  expect(judged).toEqual(["printed", "seen"]);
});
