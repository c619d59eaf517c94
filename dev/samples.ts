// Real agents' logs with counts that were made without any importer, where somebody has such a collection: in the folder that
// CTX_SAMPLES names, or in one called samples in a folder beside the repository. They are never part of the project.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "./built.js";

export interface Sample {
  /** Its path in the collection. */
  name: string;
  file: string;
  /** What an independent reader took it for. */
  detected: string;
  /** What it counted. */
  // oxlint-disable-next-line typescript/no-explicit-any -- another shape for each format
  counts: any;
}

export function samples(): Sample[] {
  const folder = samplesFolder();
  if (folder === undefined) return [];
  const expected = JSON.parse(fs.readFileSync(join(folder, "EXPECTED.json"), "utf8")) as Record<
    string,
    Omit<Sample, "name" | "file">
  >;
  return Object.entries(expected).map(([name, sample]) => ({ name, file: join(folder, name), ...sample }));
}

function samplesFolder(): string | undefined {
  const around = dirname(repository);
  const beside = fs.readdirSync(around).map((name) => join(around, name, "samples"));
  const candidates = [process.env["CTX_SAMPLES"] ?? "", ...beside];
  return candidates.find((path) => path !== "" && fs.existsSync(join(path, "EXPECTED.json")));
}
