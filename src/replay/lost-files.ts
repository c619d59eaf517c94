// Files of a workspace that did not fit on the disk. A step that depends on one of them cannot be executed.
import { StepFailure } from "./outcome.js";

export class LostFiles {
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.add(path);
  }

  /** Removes a file that was written after all. */
  remove(path: string): void {
    this.#paths.delete(path);
  }

  /** Throws a StepFailure if one of the matching files is lost. */
  check(matches: (path: string) => boolean = () => true): void {
    for (const path of this.#paths)
      if (matches(path))
        throw new StepFailure("missing_input", `there was no room on the disk for ${path}`, {
          atLimit: true,
        });
  }
}
