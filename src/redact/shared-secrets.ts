// Secrets that the runs of one log have in common: a sub-agent reports to its parent what it was shown, and a
// parent passes on what it knows.

interface SharedSecret {
  secret: string;
  /** The rule that found it first. */
  rule: string;
  /** The run that did. */
  by: OtherSecrets;
}

/** Most secrets that the runs of a log share: each is searched for in every content. */
const maxShared = 128;

/** Secrets that any run of a log has learned so far, in that order. */
export class SharedSecrets {
  readonly #known = new Set<string>();
  readonly list: SharedSecret[] = [];

  add(found: SharedSecret): void {
    if (this.list.length >= maxShared || this.#known.has(found.secret)) return;
    this.#known.add(found.secret);
    this.list.push(found);
  }
}

/** Secrets that the other runs of a log have learned, as one run sees them. */
export class OtherSecrets {
  readonly #shared: SharedSecrets | undefined;
  #list: readonly SharedSecret[] = [];
  /** Number of shared secrets of which `#list` holds those of other runs. */
  #taken = 0;

  constructor(shared: SharedSecrets | undefined) {
    this.#shared = shared;
  }

  get list(): readonly SharedSecret[] {
    const all = this.#shared?.list ?? [];
    if (all.length > this.#taken) this.#list = all.filter(({ by }) => by !== this);
    this.#taken = all.length;
    return this.#list;
  }

  share(secret: string, rule: string): void {
    this.#shared?.add({ secret, rule, by: this });
  }
}
