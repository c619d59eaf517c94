// Sets a file back to what the log says it was, where a replay has drifted from it: one difference is then
// one divergence, and not one of every step after it. The step that caused it stays as it was judged.
import type { Manifest } from "../model/manifest.js";
import type { ReplayedStep, SetBack } from "../results/replay.js";
import { LogTexts } from "./log-texts.js";
import { StepFailure } from "./outcome.js";
import type { OutputWatch } from "./output-watch.js";
import type { PlannedStep } from "./plan.js";
import type { Workspace } from "./workspace.js";

interface ResyncOptions {
  root: string;
  manifest: Manifest;
  workspace: Workspace;
  watch: OutputWatch;
  agent: string | undefined;
  onSetBack: (setBack: SetBack) => void;
}

const maxCauses = 5;

export class Resync {
  readonly #options: ResyncOptions;
  readonly #texts: LogTexts;
  /** The steps that may have made a difference, and did not match, in order. */
  readonly #suspects: { index: number; why: string | undefined }[] = [];
  /** The last step after which a file was as the log says. */
  readonly #agreed = new Map<string, number>();

  constructor(options: ResyncOptions) {
    this.#options = options;
    this.#texts = new LogTexts(options.root, options);
  }

  /** Call before a step is executed. */
  before(planned: PlannedStep): void {
    const known = this.#texts.before(planned);
    if (known !== undefined) this.#align(known, planned.step.index);
  }

  /** Call after a step with what became of it. A whole read is judged first, and then believed. */
  after(planned: PlannedStep, { index, status, executed, message }: ReplayedStep): void {
    const { classified } = planned;
    const shown = this.#texts.shownBy(planned);
    this.#texts.after(planned);
    if (shown !== undefined) this.#align(shown, index + 1);
    if (classified === undefined || ["read", "tree", "refused"].includes(classified.class)) return;
    const isApplied = classified.class === "edit" && executed && status === "recorded";
    if (classified.command?.mayWrite !== false && status !== "matched" && !isApplied)
      this.#suspects.push({ index, why: message });
  }

  #align({ path, bytes }: { path: string; bytes: Buffer }, before: number): void {
    const { workspace, watch, onSetBack } = this.#options;
    try {
      const isThere = workspace.stat(path)?.kind === "file";
      if (!isThere || !workspace.read(path).equals(bytes)) {
        workspace.write(path, bytes);
        watch.setBack(path);
        const causes = this.#suspects.filter(
          ({ index }) => index >= (this.#agreed.get(path) ?? -1) && index < before,
        );
        const [first] = causes;
        onSetBack({
          path,
          before,
          since: causes.slice(0, maxCauses).map(({ index }) => index),
          ...(first?.why === undefined ? {} : { why: `step ${first.index}: ${first.why}` }),
        });
      }
      this.#agreed.set(path, before);
    } catch (error) {
      // The step itself will say what is wrong with the file.
      if (!(error instanceof StepFailure)) throw error;
    }
  }
}
