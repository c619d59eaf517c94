// The submission of a run: the patch of a repository, or an answer. It is an output of the run, though no
// tool wrote a file of that name.
import type { RunBuilder } from "./run-builder.js";

const patchName = ".submission.patch";
const answerName = ".submission.txt";

export function addSubmission(builder: RunBuilder, submission: string | undefined): void {
  if (submission === undefined || submission.trim() === "") return;
  builder.files.deliver(isPatch(submission) ? patchName : answerName, submission);
}

function isPatch(text: string): boolean {
  return /^(?:diff --git |--- \S|@@ -\d)/m.test(text);
}
