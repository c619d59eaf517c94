// The plug-in contract of intake: a format recognises its own logs, and builds runs from them.
import type { Reference } from "../base/digest.js";
import type { StoredContent } from "../model/content.js";
import type { ExecutionLog } from "../model/log.js";
import type { ContentOrigin } from "../model/manifest.js";
import type { Coverage } from "./coverage.js";
import type { Head } from "./head.js";
import type { LogSource } from "./log-source.js";

export interface Format {
  /** The name, as `--from` and `metadata.source.format` use it. */
  name: string;
  /** A title in a few words. */
  title: string;
  /** Where such logs come from, or which command writes them. */
  from: string;
  /** Set when the format's logs hold no times. */
  isTimeless?: true;
  /**
   * Decides whether the beginning of a log is of this format. `path` is set when the log is a file, for
   * formats whose logs are useless without the files beside them.
   */
  sniff(head: Head, path?: string): Fit;
  /** Returns the runs of a log, in its order. All their contents were passed to `into` before. */
  read(source: LogSource, into: Into): ExecutionLog[];
}

/** True when a log is of a format; otherwise how near it comes (0 to 1), and what is missing. */
export type Fit = true | { near: number; missing: string };

/** Stores the contents of one run. */
export interface Keeper {
  /** Stores a content, with its origin, and returns how the run refers to it. */
  keep(bytes: Buffer, origin?: ContentOrigin): StoredContent;
  /** Called once with the finished run. */
  finish(run: ExecutionLog): void;
}

/** A sub-agent, by its id in the log. */
export interface StartedAgent {
  agent: string;
  /** The call that started it, if that is known. */
  call?: string | undefined;
}

/** Where a reader puts the runs that it builds. */
export interface Into {
  /** Creates the keeper for the contents of one run. */
  keeper: () => Keeper;
  /** Seals a run that another run started, and returns the reference of its pack. */
  seal: (run: ExecutionLog, started: StartedAgent) => Reference;
  /** What the log does not record, or could not be read, for runs that share one log. */
  coverage: Coverage;
  /** The prompt that the user passed, for logs that do not hold it. */
  prompt?: string | undefined;
}
