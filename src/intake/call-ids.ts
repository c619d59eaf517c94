// Gives each call of a run an id that no other call of the run has: some models use one id for several calls, and
// whatever links results by id would link them wrongly.
export class CallIds {
  readonly #taken = new Set<string>();

  /** Returns the id of a call: the one in the log if no call has it, else `proposed`, else one with a number. */
  unused(logged: string, proposed: string | undefined): string {
    let id = this.#taken.has(logged) ? (proposed ?? logged) : logged;
    for (let number = this.#taken.size + 1; this.#taken.has(id); number++) id = `${logged}-${number}`;
    this.#taken.add(id);
    return id;
  }
}
