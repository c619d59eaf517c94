// State that the commands of a shell line leave for the commands after them.
import type { Stage } from "../tools/shell-line.js";
import { nameOf } from "../tools/shell-stage.js";
import type { Prints } from "./printing-judges.js";
import { secretFile } from "./secret-files.js";

/** Most files and scripts that are remembered. */
const maxFiles = 64;

/**
 * State left by the earlier commands of a line: secrets in variables and files, texts in variables, scripts
 * in files.
 */
export class PrintingState {
  readonly secrets = new Set<string>();
  readonly files = new Set<string>();
  readonly #scripts = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  /** Whether the current folder holds secret files. */
  isInSecrets = false;

  setScript(file: string, text: string): void {
    if (this.#scripts.size < maxFiles) this.#scripts.set(nameOf(file).toLowerCase(), text);
  }

  /** Returns the text of a script that an earlier command wrote. */
  script(file: string): string | undefined {
    return this.#scripts.size === 0 ? undefined : this.#scripts.get(nameOf(file).toLowerCase());
  }

  /** Returns what a file of this name holds, if that is a secret. */
  file(name: string): Prints | undefined {
    if (this.isInSecrets && /^[^-/~$][^/]*$/.test(name)) return "value";
    const own = secretFile(name);
    if (own !== undefined || this.files.size === 0) return own;
    const isBelow = [...this.files]
      .slice(0, maxFiles)
      .some((file) => name === file || name.startsWith(`${file}/`));
    return isBelow ? "value" : undefined;
  }

  setText(name: string, text: string): void {
    if (text.length <= 200 && !/[$`]/.test(text)) this.#texts.set(name, text);
  }

  /** Expands the variables whose text is known. */
  expanded(stage: Stage): Stage {
    if (this.#texts.size === 0 || !stage.words.some((word) => word.includes("$"))) return stage;
    const words = stage.words.map((word) =>
      word.replaceAll(/\$(?:\{(!?)(\w+)\}|(\w+))/g, (all, indirect?: string, a?: string, b?: string) => {
        const text = this.#texts.get(a ?? b ?? "");
        return text === undefined ? all : indirect === "!" ? `$${text}` : text;
      }),
    );
    return { ...stage, words };
  }
}
