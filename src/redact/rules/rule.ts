// The definition of a rule: data that says where a credential begins, what it looks like, and texts that
// prove it.

export interface SecretRule {
  /** Appears in the placeholder and the report. */
  id: string;
  /** Texts of which every match contains one: the pattern is tried only where one is found. */
  anchors: readonly string[];
  /** Anchors match regardless of case. */
  anyCase?: true;
  /** The anchor begins a word: no letter or digit precedes it. */
  isWord?: true;
  /** The anchor continues a word or an option: a letter, digit or dash precedes it. */
  isPart?: true;
  /**
   * An assignment mark follows the name that contains the anchor: `:`, `=` or `,`, perhaps after quotes and
   * spaces.
   */
  assigns?: true;
  /** One of these characters follows the anchor. */
  followedBy?: string;
  /**
   * Sticky. Tried at the anchor before anything else, once for all rules that share it: a cheap check that
   * nearly always fails.
   */
  gate?: RegExp;
  /**
   * Global. Matches at most `within` characters behind the anchor in every match: otherwise the pattern is
   * not tried.
   */
  behind?: { pattern: RegExp; within: number };
  /**
   * The pattern is tried at the anchor, and up to this many characters before it. Every repetition in it must
   * be bounded.
   */
  before?: number;
  /** Sticky. The credential is the group `secret` if there is one, else the whole match. */
  pattern: RegExp;
  /**
   * Identified by context and not by form: the value must look like a secret. `password`: or like a chosen
   * password. `spoken`: the same in a sentence. `loose`: the context leaves little doubt, and anything but a
   * plain word or a placeholder will do. `any`: the context leaves no doubt, and anything but a placeholder
   * is a secret. `key`: the context says little, and only random characters are one. `argument`: random characters, or a
   * chosen password, but no name. `weak`: between a user and a host, or where a client expects its password: anything but
   * a placeholder is one. `announced`: a sentence says that it is one. `adjacent`: the same without a verb or a mark.
   * `phrase`: several words that are no sentence.
   */
  isGuess?:
    | true
    | "password"
    | "spoken"
    | "loose"
    | "any"
    | "key"
    | "argument"
    | "weak"
    | "announced"
    | "adjacent"
    | "phrase";
  /** The secret may contain spaces, which are ignored when it is judged. */
  hasSpaces?: true;
  /** The anchor is the head of a column: every cell below it is judged. The pattern is not used. */
  isColumn?: true;
  /** Applies only in strict mode. */
  strict?: true;
  examples: {
    /** Texts in which «…» surrounds what is redacted. */
    masked: readonly string[];
    /** Texts that must not match. */
    left?: readonly string[];
  };
}
