// The README of every draft. Its first line distinguishes a draft from any other folder with a log in it.
export const readmeName = "README.md";

const mark = "<!-- a draft made by ctx fork -->";

/** Returns whether a page begins as the README does. */
export function isReadme(bytes: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(Buffer.from(mark));
}

/** Returns whether it is the README to the last letter: the user has added no notes. */
export function isUntouchedReadme(bytes: Buffer): boolean {
  const hex = /ctx:\/\/([0-9a-f]{64})/.exec(bytes.toString("latin1"))?.[1];
  return hex !== undefined && readmeOf(hex).equals(bytes);
}

export function readmeOf(hex: string): Buffer {
  return Buffer.from(`${mark}
# A draft of ctx://${hex.slice(0, 12)}

This folder is the run \`ctx://${hex}\`
taken apart. Change what you like; the run itself stays as it is.

| file | what it is |
| --- | --- |
| \`system_prompt.md\` | the system prompt |
| \`prompts/\` | the prompts, in order |
| \`inputs/\`, \`outputs/\` | what the run was given, and what it produced |
| \`steps/\` | what each step returned (\`.out\`), and what the model was shown of it (\`.seen\`) |
| \`execution.json\` | everything else: model, parameters, environment, the list of steps |

To drop a step or an input, take its entry out of \`execution.json\`. To add one, write an entry; its content may
stand in the entry ("content", "output") or in a file below this folder ("content_file", "output_file").

- \`ctx status .\` in this folder says what differs from the run so far, and what is wrong.
- \`ctx pack .\` seals it as a new run whose parent is the old one.
  With \`--rm\` the draft goes when that is done.
- \`ctx diff latest\` then compares the two.

This page is not part of the run.
`);
}
