// What a format of foreign logs is: something that recognises its own, and puts runs together from them.
import type { Reference } from "../base/digest.js";
import type { Stored } from "../model/content.js";
import type { ExecutionLog } from "../model/log.js";
import type { ContentOrigin } from "../model/manifest.js";
import type { Coverage } from "./coverage.js";
import type { Head } from "./head.js";
import type { Source } from "./log-source.js";

export interface Format {
  /** As `--from` and `metadata.source.format` have it. */
  name: string;
  /** What it is, in a few words. */
  title: string;
  /** Where such logs come from. */
  from: string;
  /** Its logs hold no times. */
  isTimeless?: true;
  /** `path`: where the log lies, if it is a file; for those that are of no use without others beside them. */
  sniff(head: Head, path?: string): Fit;
  /** The runs of a log, in its order. Everything that they hold was handed to `into` before. */
  read(source: Source, into: Into): ExecutionLog[];
}

/** Whether a log is of a format; if not, how near it comes (0 to 1), and what it lacks. */
export type Fit = true | { near: number; lacks: string };

/** Where the contents of one run go. */
export interface Keeper {
  /** Takes a content in, with where it comes from, and says how it is named. */
  keep(bytes: Buffer, origin?: ContentOrigin): Stored;
  /** Told what came of it all. */
  finish(run: ExecutionLog): void;
}

/** Where the parts of runs go. */
export interface Into {
  /** Takes in what one run holds. */
  keeper: () => Keeper;
  /** Seals a run that another one started, and gives its name. */
  seal: (run: ExecutionLog, about: { agent: string; call?: string | undefined }) => Reference;
  /** What the log lacks or could not be read of it, for all runs that are not told apart. */
  coverage: Coverage;
  /** The prompt that the user named, for logs that do not hold it. */
  prompt?: string | undefined;
}
