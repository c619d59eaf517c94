// The files of a workspace that there was no room for. What depends on one of them cannot be executed.
import { StepFailure } from "./outcome.js";

export class LostFiles {
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.add(path);
  }

  /** It is there after all. */
  remove(path: string): void {
    this.#paths.delete(path);
  }

  /** Throws a StepFailure if one of them is in the way. */
  check(isMeant: (path: string) => boolean = () => true): void {
    for (const path of this.#paths)
      if (isMeant(path))
        throw new StepFailure("missing_input", `there was no room on the disk for ${path}`, {
          atLimit: true,
        });
  }
}
