// The lines that --json prints on standard error.
import type { ErrorCode, Problem } from "../base/errors.js";

/** An error under --json: one line on standard error.
 * @title Error
 */
export interface ErrorLine {
  error: {
    code: ErrorCode;
    message: string;
    hint?: string;
    problems?: readonly Problem[];
    /** The number of problems that `problems` omits, if there are very many. */
    more_problems?: number;
  };
}

/** A notice under --json: one line on standard error.
 * @title Notice
 */
export interface NoticeLine {
  notice: string;
}
