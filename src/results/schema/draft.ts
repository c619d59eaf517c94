// What `ctx fork` and `ctx status` print, as schemas.
import type { Problem } from "../../base/errors.js";
import { nullable, result } from "./shape.js";
import type { DraftStatus, ForkResult, StatusResult } from "../results.js";
import {
  boolean,
  count,
  list,
  oneOf,
  optional,
  reference,
  required,
  text,
  utcTime,
} from "../../model/shape.js";

export const problem = result<Problem>({
  path: required(text()),
  message: required(text()),
  line: optional(count),
});

export const forkResult = result<ForkResult>({
  draft: required(text()),
  parent: required(reference),
  notices: required(list(text())),
});

const draftStatus = result<DraftStatus>({
  draft: required(text()),
  state: required(oneOf("unedited", "edited", "sealed", "unfinished", "unknown")),
  parent: required(nullable(reference)),
  parent_present: required(boolean),
  created: required(nullable(utcTime)),
  hash: required(nullable(reference)),
  changes: required(list(text())),
  problems: required(list(problem)),
});

export const statusResult = result<StatusResult>({ drafts: required(list(draftStatus)) });
