// A shard of facts: what the manifests of some packs say, so that a query reads no manifest.
//
//   header    magic, counts, lengths, where the store was
//   packs     32 bytes of hash; where its paths, its commands and its tally end; marks
//   paths     four bytes for each file that a pack used: the number of its path and what was done with it
//   commands  four bytes for each command that a pack executed: its number and whether its text is cut
//   ends      where each path and each command ends
//   texts     the paths, then the commands, with a line feed after each
//   tallies   JSON for each pack
import { BrokenIndex, type CheckedFile } from "./checked-file.js";
import type { FactSheet, RunTally } from "./fact-sheet.js";
import { beginning, numbers, textAt, type Texts, TextTable } from "./fact-texts.js";
import type { IndexPlace } from "./shard.js";

const magic = "ctxfact2";
const headerSize = 56;
const packSize = 48;
/** What a number of a path is followed by: the bits of `fileUse`, and one for the folder of the run. */
const useBits = 5;
const folderUse = 16;
/** A pack whose facts are not all here: its manifest must be read. */
const marks = { paths: 1, commands: 2 } as const;

/** No more of a command is kept, in bytes. */
const maxCommand = 1024;
/** No more of a run's texts is kept, in bytes, of the paths and of the commands. */
const maxTexts = 1 << 20;
/** No shard has more packs, or many more bytes. */
const maxPacks = 8192;
const maxBytes = 1 << 26;

export interface ShardSize {
  packs: number;
  bytes: number;
}

/** Whether a shard may be this large. */
export function fits({ packs, bytes }: ShardSize): boolean {
  return packs <= maxPacks && bytes <= maxBytes;
}

export function isHalfFull({ packs, bytes }: ShardSize): boolean {
  return packs >= maxPacks / 2 || bytes >= maxBytes / 2;
}

/** A shard that is to be written. */
export class FactShardBuilder {
  readonly #packs: { hex: string; ends: [paths: number, commands: number, tally: number]; marks: number }[] =
    [];
  readonly #paths: number[] = [];
  readonly #commands: number[] = [];
  readonly #pathTable = new TextTable();
  readonly #commandTable = new TextTable();
  readonly #tallies: Buffer[] = [];
  readonly #hashes = new Set<string>();
  #tallyBytes = 0;

  has(hex: string): boolean {
    return this.#hashes.has(hex);
  }

  get size(): ShardSize {
    const bytes = this.#pathTable.length + this.#commandTable.length + this.#tallyBytes;
    return { packs: this.#packs.length, bytes };
  }

  add(hex: string, { workdir, paths, commands, tally }: FactSheet): void {
    let mark = 0;
    let left = maxTexts;
    for (const [path, use] of workdir === undefined ? paths : [[workdir, folderUse] as const, ...paths]) {
      left -= Buffer.byteLength(path);
      if (left < 0) mark |= marks.paths;
      else this.#paths.push(this.#pathTable.numberOf(path) * (1 << useBits) + use);
    }
    left = maxTexts;
    for (const command of commands) {
      const kept = beginning(command, maxCommand);
      left -= Buffer.byteLength(kept);
      if (left < 0) mark |= marks.commands;
      else this.#commands.push(this.#commandTable.numberOf(kept) * 2 + (kept === command ? 0 : 1));
    }
    const bytes = Buffer.from(JSON.stringify(tally));
    this.#tallies.push(bytes);
    this.#tallyBytes += bytes.length;
    this.#addPack(hex, mark);
  }

  /** Adds the packs of a shard on disk that are still wanted. */
  addAll(shard: FactShard, isWanted: (hex: string) => boolean): void {
    const { paths, commands, pathTexts, commandTexts, tallies } = shard.all();
    for (const pack of shard.packs()) {
      if (!isWanted(pack.hex)) continue;
      for (const use of paths.subarray(pack.paths.from, pack.paths.to)) {
        const bits = use & ((1 << useBits) - 1);
        this.#paths.push(
          this.#pathTable.numberOf(textAt(pathTexts, use >>> useBits)) * (1 << useBits) + bits,
        );
      }
      for (const use of commands.subarray(pack.commands.from, pack.commands.to))
        this.#commands.push(this.#commandTable.numberOf(textAt(commandTexts, use >>> 1)) * 2 + (use & 1));
      const tally = tallies.subarray(pack.tally.from, pack.tally.to);
      this.#tallies.push(tally);
      this.#tallyBytes += tally.length;
      this.#addPack(pack.hex, pack.marks);
    }
  }

  encode(place: IndexPlace): Buffer {
    const header = Buffer.alloc(headerSize);
    const rows = Buffer.alloc(this.#packs.length * packSize);
    for (const [number, { hex, ends, marks: mark }] of this.#packs.entries()) {
      let at = number * packSize + rows.write(hex, number * packSize, "hex");
      for (const end of [...ends, mark]) at = rows.writeUInt32LE(end, at);
    }
    const [pathEnds, commandEnds] = [this.#pathTable.ends, this.#commandTable.ends];
    header.write(magic, "latin1");
    const counts = [
      this.#packs.length,
      this.#paths.length,
      this.#commands.length,
      pathEnds.length / 4,
      commandEnds.length / 4,
      this.#pathTable.length,
      this.#commandTable.length,
      this.#tallyBytes,
    ];
    for (const [at, each] of counts.entries()) header.writeUInt32LE(each, 8 + at * 4);
    header.writeBigUInt64LE(place.ino, 40);
    header.writeBigUInt64LE(place.ctimeNs, 48);
    return Buffer.concat([
      header,
      rows,
      numbers(this.#paths),
      numbers(this.#commands),
      pathEnds,
      commandEnds,
      this.#pathTable.texts,
      this.#commandTable.texts,
      ...this.#tallies,
    ]);
  }

  #addPack(hex: string, mark: number): void {
    this.#hashes.add(hex);
    this.#packs.push({
      hex,
      ends: [this.#paths.length, this.#commands.length, this.#tallyBytes],
      marks: mark,
    });
  }
}

interface Extent {
  from: number;
  to: number;
}

interface ShardPack {
  hex: string;
  paths: Extent;
  commands: Extent;
  tally: Extent;
  marks: number;
}

/** A shard on disk. Whatever it returns was checked; it throws `BrokenIndex` otherwise. */
export class FactShard {
  readonly file: CheckedFile;
  readonly place: IndexPlace;
  readonly packCount: number;
  /** Where each section begins; the last is the end. */
  readonly #at: number[] = [];

  constructor(file: CheckedFile) {
    this.file = file;
    const header = file.read(0, headerSize);
    if (header.toString("latin1", 0, magic.length) !== magic) throw new BrokenIndex();
    const [packs = 0, paths = 0, commands = 0, pathTexts = 0, commandTexts = 0, ...lengths] = Array.from(
      { length: 8 },
      (_, at) => header.readUInt32LE(8 + at * 4),
    );
    this.packCount = packs;
    this.place = { ino: header.readBigUInt64LE(40), ctimeNs: header.readBigUInt64LE(48) };
    let at = headerSize;
    for (const length of [
      packs * packSize,
      paths * 4,
      commands * 4,
      pathTexts * 4,
      commandTexts * 4,
      ...lengths,
    ]) {
      this.#at.push(at);
      at += length;
    }
    this.#at.push(at);
    if (at > file.size) throw new BrokenIndex();
  }

  get size(): ShardSize {
    return { packs: this.packCount, bytes: (this.#at[8] as number) - (this.#at[5] as number) };
  }

  packs(): ShardPack[] {
    const rows = this.#section(0);
    const last = [0, 0, 0];
    return Array.from({ length: this.packCount }, (_, number) => {
      const at = number * packSize;
      const [paths, commands, tally] = last.map((from, field) => {
        const to = rows.readUInt32LE(at + 32 + field * 4);
        last[field] = to;
        return { from, to };
      }) as [Extent, Extent, Extent];
      return {
        hex: rows.toString("hex", at, at + 32),
        paths,
        commands,
        tally,
        marks: rows.readUInt32LE(at + 44),
      };
    });
  }

  paths(): { uses: Uint32Array; texts: Texts } {
    return { uses: this.#numbers(1), texts: { ends: this.#numbers(3), bytes: this.#section(5) } };
  }

  commands(): { uses: Uint32Array; texts: Texts } {
    return { uses: this.#numbers(2), texts: { ends: this.#numbers(4), bytes: this.#section(6) } };
  }

  tallies(): Buffer {
    return this.#section(7);
  }

  all(): {
    paths: Uint32Array;
    commands: Uint32Array;
    pathTexts: Texts;
    commandTexts: Texts;
    tallies: Buffer;
  } {
    const [paths, commands] = [this.paths(), this.commands()];
    return {
      paths: paths.uses,
      commands: commands.uses,
      pathTexts: paths.texts,
      commandTexts: commands.texts,
      tallies: this.tallies(),
    };
  }

  #section(number: number): Buffer {
    const [from = 0, to = 0] = this.#at.slice(number, number + 2);
    return this.file.read(from, to - from);
  }

  #numbers(section: number): Uint32Array {
    const bytes = this.#section(section);
    return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
  }
}

/** Parses the tally of a pack. */
export function tallyIn(tallies: Buffer, { from, to }: Extent): RunTally {
  return JSON.parse(tallies.toString("utf8", from, to)) as RunTally;
}

/** What a pack did with its files and commands, by their numbers. */
export function pathUse(use: number): { path: number; bits: number; isFolder: boolean } {
  const bits = use & ((1 << useBits) - 1);
  return { path: use >>> useBits, bits, isFolder: bits === folderUse };
}

export function commandUse(use: number): { command: number; isCut: boolean } {
  return { command: use >>> 1, isCut: (use & 1) === 1 };
}

/** Whether all paths, or all commands, of a pack are here. */
export function isWhole({ marks: mark }: { marks: number }, what: keyof typeof marks): boolean {
  return (mark & marks[what]) === 0;
}
