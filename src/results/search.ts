// Results of `ctx grep`, part of the JSON contract: fields are only ever added.
import type { Reference } from "../base/digest.js";
import type { UtcTime } from "../model/times.js";

/**
 * A line of `ctx grep --json`: a line of a run that matches. The last line of the output is a `SearchSummary`.
 * @title ctx grep
 */
export interface SearchHit {
  /** The pack that has the line. */
  pack: Reference;
  /** The run that the line counts for, if that is the run of a sub-agent. */
  run?: Reference;
  created: UtcTime;
  part: "prompt" | "system" | "param" | "output" | "seen" | "reasoning" | "file";
  /** The index of the step, as in `ctx show --step`. */
  step?: number;
  /** The index of the prompt, as in `ctx show --prompt`. */
  prompt?: number;
  tool?: string;
  /** The name of the file, or the path of the parameter. */
  name?: string;
  /** Of a file: whether the run began with it or left it. */
  role?: "input" | "output";
  /** The content that has the line; missing for a parameter, which is in the manifest. */
  ref?: Reference;
  /** From 1; 0 for a content that is not text. */
  line: number;
  /** In characters, from 1; 0 for a content that is not text. */
  column: number;
  /** The line; of a long one what is around the match. */
  text: string;
  /** The first match, in UTF-16 code units of `text`. */
  match: { at: number; length: number };
  /** Set if `text` is not the whole line. */
  cut?: true;
  /** Set if the content is not text, and nothing of it is shown. */
  binary?: true;
  /** The lines before and after, under --context. */
  before?: string[];
  after?: string[];
}

/** A run that could not be searched whole. */
export interface SearchGap {
  pack: Reference;
  /** The content that cannot be read; missing if the pack itself cannot. */
  ref?: Reference;
  message: string;
}

/**
 * The last line of `ctx grep --json`.
 * @title ctx grep, summary
 */
export interface SearchSummary {
  searched: {
    /** The runs that the filters select, with those of sub-agents. */
    packs: number;
    /** Their contents: those that were read, and those that the index ruled out. */
    objects: number;
    /** The contents that were read, and their size. */
    read: number;
    bytes: number;
  };
  hits: number;
  /** The number of runs with a hit, each with those of its sub-agents. */
  runs: number;
  /** The number of packs in the store. */
  total: number;
  /** Steps that called ctx itself, and were left out. */
  echoes: number;
  /** Set if the search ended at --max-runs or at --first. */
  ended_early?: true;
  /** What could not be searched. */
  incomplete: SearchGap[];
}

/** A run with hits. */
export interface FoundRun {
  pack: Reference;
  created: UtcTime;
  title: string | null;
  model: string;
  agent?: string;
  /** The hits in it and in the runs of its sub-agents. */
  hits: SearchHit[];
  /** How many lines match; more than `hits` if there is a limit for each run. */
  count: number;
}
