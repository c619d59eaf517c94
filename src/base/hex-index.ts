// The position of each of many hashes in a list. A Map of strings would do the same, but hashes every string
// once more, and these are hashes already: their first digits are as good as any.
export class HexIndex {
  private readonly names: readonly string[];
  private readonly slots: Int32Array;

  /** `names` are hex digits, 8 or more each, all different. */
  constructor(names: readonly string[]) {
    let size = 16;
    while (size < names.length * 2) size *= 2;
    this.names = names;
    this.slots = new Int32Array(size).fill(-1);
    names.forEach((name, at) => {
      let slot = this.first(name);
      while (this.slots[slot] !== -1) slot = (slot + 1) & (size - 1);
      this.slots[slot] = at;
    });
  }

  /** Returns the index of a hash in the list, or -1. */
  of(hex: string): number {
    for (let slot = this.first(hex); ; slot = (slot + 1) & (this.slots.length - 1)) {
      const at = this.slots[slot] as number;
      if (at === -1 || this.names[at] === hex) return at;
    }
  }

  private first(hex: string): number {
    let number = 0;
    for (let digit = 0; digit < 8; digit++) {
      const code = hex.charCodeAt(digit);
      number = (number << 4) | (code > 57 ? code - 87 : code - 48);
    }
    return number & (this.slots.length - 1);
  }
}
