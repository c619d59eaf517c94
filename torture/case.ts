// A case of `npm run torture`: one way of attacking the built program, and its outcome.

export interface Options {
  /** A sample of the points, in seconds instead of minutes. */
  short: boolean;
  /** Everything random follows from this number. */
  seed: number;
  /** An empty folder of its own, removed afterwards. */
  scratch: string;
  /** Shows progress. */
  say(text: string): void;
}

export interface Report {
  /** Different points that were attacked: calls, bytes, inputs, sizes. */
  points: number;
  /** How often the program was run. */
  tries: number;
  /** What was wrong, each in one line or a few. */
  violations: string[];
}

export interface Case {
  /** The part of the table. */
  group: string;
  name: string;
  /** Programs, or "root". */
  needs?: string[];
  run(options: Options): Promise<Report>;
}
