// What --json prints on standard error.
import type { ErrorCode, Problem } from "../base/errors.js";

/**
 * What --json makes of an error, on a line of standard error.
 * @title Error
 */
export interface ErrorLine {
  error: {
    code: ErrorCode;
    message: string;
    hint?: string;
    problems?: readonly Problem[];
    /** How many problems `problems` omits, when there are very many. */
    more_problems?: number;
  };
}

/**
 * What --json makes of a notice, on a line of standard error.
 * @title Notice
 */
export interface NoticeLine {
  notice: string;
}
