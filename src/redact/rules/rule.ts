// What a rule is: data that says where a credential begins, what it looks like, and texts that prove it.

export interface Rule {
  /** As the placeholder and the report have it. */
  id: string;
  /** Texts, one of which stands in every match: only where one is found the pattern is tried. */
  anchors: readonly string[];
  /** Anchors are found in upper and lower case alike. */
  anyCase?: true;
  /** The anchor begins a word: the character before it is no letter or digit. */
  isWord?: true;
  /** The anchor goes on a word or an option: the character before it is a letter, a digit or a dash. */
  isPart?: true;
  /** Behind the name that the anchor is in stands a mark by which values are given: `:`, `=` or `,`, perhaps after quotes and spaces. */
  assigns?: true;
  /** One of these characters stands right behind the anchor. */
  followedBy?: string;
  /** Sticky. Tried at the anchor, once for all rules that share it, before anything else: what costs little, and fails nearly always. */
  gate?: RegExp;
  /** Global. Stands at most so many characters behind the anchor, in every match: where it does not, the pattern is not tried. */
  behind?: { pattern: RegExp; within: number };
  /** Tried at the anchor, or up to so many characters before it. Every repetition in it has an upper bound. */
  before?: number;
  /** Sticky. The credential is the group `secret`, if there is one, else all of the match. */
  pattern: RegExp;
  /**
   * Told by its surroundings and not by its form: what it holds must look like a secret. `password`: or like what people choose.
   * `spoken`: the same in a sentence. `loose`: the surroundings leave little doubt, and anything but a plain word or a placeholder will do.
   * `any`: the surroundings leave no doubt, and anything but a placeholder is a secret.
   */
  isGuess?: true | "password" | "spoken" | "loose" | "any";
  /** Spaces may stand in its secret, and tell nothing about it. */
  hasSpaces?: true;
  /** Only in strict mode. */
  strict?: true;
  examples: {
    /** Texts in which «…» stands around what is masked. */
    masked: readonly string[];
    /** Texts that are left alone. */
    left?: readonly string[];
  };
}
