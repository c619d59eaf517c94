// What a case of `npm run torture` is: one way of attacking the built program, and what came of it.

export interface Options {
  /** A sample of the points, in seconds instead of minutes. */
  short: boolean;
  /** Everything that is left to chance follows from this number. */
  seed: number;
  /** An empty folder of its own, removed afterwards. */
  scratch: string;
  /** Shows how far it is. */
  say(text: string): void;
}

export interface Report {
  /** Different places that were attacked: calls, bytes, inputs, sizes. */
  points: number;
  /** How often the program was put to the test. */
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
