// Real agents' logs with counts that were made without any importer, on machines that have such collections:
// in the folder that CTX_SAMPLES names and those beside it, or in a folder beside the repository that has one
// called samples. They are never part of the project.
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "./built.js";

export interface Sample {
  /** Its path in the collection. */
  name: string;
  file: string;
  /** The format that an independent reader found. */
  detected: string;
  /** The counts of that reader. */
  // oxlint-disable-next-line typescript/no-explicit-any -- another shape for each format
  counts: any;
}

/** Returns the logs of a collection; none where there is no such folder. */
export function samples(collection = "samples"): Sample[] {
  const folder = samplesFolder(collection);
  if (folder === undefined) return [];
  const expected = JSON.parse(fs.readFileSync(join(folder, "EXPECTED.json"), "utf8")) as Record<
    string,
    Omit<Sample, "name" | "file">
  >;
  return Object.entries(expected).map(([name, sample]) => ({ name, file: join(folder, name), ...sample }));
}

function samplesFolder(collection: string): string | undefined {
  const around = dirname(repository);
  const named = process.env["CTX_SAMPLES"];
  const parents = [
    ...(named === undefined ? [] : [dirname(named)]),
    ...fs.readdirSync(around).map((name) => join(around, name)),
  ];
  return parents
    .map((parent) => join(parent, collection))
    .find((path) => fs.existsSync(join(path, "EXPECTED.json")));
}
