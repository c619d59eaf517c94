// Tracks what a log reveals about files: the state of each before the run first changed it, and at the end.
// The former become inputs, the latter outputs, where the log holds them in full.
import { posix } from "node:path";
import type { StoredContent } from "../model/content.js";
import { legalName, outsideName } from "../model/names.js";

/** Longer text is not held in memory for later edits; it is stored at once. */
const maxHeld = 1 << 23;

interface FileState {
  name: string;
  /** Its content when the run first touched it. */
  input?: StoredContent;
  /** Whether the input is known, or can no longer be known. */
  isSettled: boolean;
  /** Its current content, as far as it is known. */
  now?: { text: string } | { stored: StoredContent };
  isWritten: boolean;
}

export interface KeptFile {
  name: string;
  content: { stored: StoredContent };
}

export class FileStates {
  readonly #keep: (bytes: Buffer, name: string) => StoredContent;
  readonly #states = new Map<string, FileState>();
  readonly #extra = new Map<string, StoredContent>();
  readonly #delivered = new Map<string, StoredContent>();
  #held = 0;
  #workdir: string | undefined;

  constructor(keep: (bytes: Buffer, name: string) => StoredContent) {
    this.#keep = keep;
  }

  /** Sets the folder that names are relative to; only the first call counts. */
  setWorkdir(folder: string): void {
    this.#workdir ??= folder;
  }

  /**
   * Notes that the whole file was shown, as text or bytes. `isHeld`: later changes do not carry the text that
   * they replace.
   */
  see(path: string, content: string | Buffer, { isHeld = true } = {}): void {
    const state = this.#stateOf(path);
    this.#settle(state, content);
    if (typeof content === "string" && (isHeld || state.isWritten)) this.#hold(state, content);
  }

  /** Notes the content of a file before a change; null when there was no file. */
  before(path: string, content: string | null): void {
    const state = this.#stateOf(path);
    this.#settle(state, content);
    this.#drop(state);
  }

  /** Notes the content of a file after a change; undefined when it is unknown, null when the file is gone. */
  after(path: string, content: string | null | undefined): void {
    const state = this.#stateOf(path);
    state.isSettled = true;
    state.isWritten = true;
    if (content === undefined || content === null) {
      this.#drop(state);
      state.isWritten = content === undefined;
    } else this.#hold(state, content);
  }

  /** Returns the current text of a file, if it is known. */
  textOf(path: string): string | undefined {
    const now = this.#states.get(this.nameOf(path))?.now;
    return now !== undefined && "text" in now ? now.text : undefined;
  }

  /** Stores an attachment of the user's, which is no file of the run, and returns its name. */
  attach(ending: string, bytes: Buffer): string {
    const name = `.attached/${this.#extra.size + 1}.${ending}`;
    this.#extra.set(name, this.#keep(bytes, name));
    return name;
  }

  /** Notes something that the run submitted at its end, and that is no file it wrote. */
  deliver(name: string, content: string): void {
    this.#delivered.set(name, this.#keep(Buffer.from(content), name));
  }

  /** Returns what was submitted. A file of the run's own with the same name keeps that name. */
  delivered(): KeptFile[] {
    return [...this.#delivered].map(([name, stored]) => {
      let free = name;
      while (this.#states.has(free)) free = `.submitted${free}`;
      return { name: free, content: { stored } };
    });
  }

  inputs(): KeptFile[] {
    const files = [...this.#states].flatMap(([name, { input }]) =>
      input === undefined ? [] : [{ name, content: { stored: input } }],
    );
    return [...files, ...[...this.#extra].map(([name, stored]) => ({ name, content: { stored } }))];
  }

  outputs(): KeptFile[] {
    return [...this.#states].flatMap(([name, { isWritten, now }]) => {
      if (!isWritten || now === undefined) return [];
      return [
        { name, content: { stored: "text" in now ? this.#keep(Buffer.from(now.text), name) : now.stored } },
      ];
    });
  }

  /** Returns the number of changed files whose final content is unknown. */
  get unknownOutputs(): number {
    return [...this.#states.values()].filter(({ isWritten, now }) => isWritten && now === undefined).length;
  }

  /** Returns the name of a file: its path below the run's folder, or `.outside/` and its absolute path. */
  nameOf(path: string): string {
    const normalised = path.replaceAll("\\", "/");
    const folder = posix.normalize(`${this.#workdir?.replaceAll("\\", "/") ?? ""}/`).replace(/\/$/, "");
    const isAbsolute = /^(?:\/|[A-Za-z]:)/.test(normalised);
    const whole = posix.normalize(isAbsolute ? normalised : `${folder}/${normalised}`);
    if (whole.startsWith(`${folder}/`) && (this.#workdir !== undefined || !isAbsolute))
      return legalName(whole.slice(folder.length + 1));
    return legalName(`${outsideName}/${whole.replace(/^([A-Za-z]):/, "$1")}`);
  }

  #stateOf(path: string): FileState {
    const name = this.nameOf(path);
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const state: FileState = { name, isSettled: false, isWritten: false };
    this.#states.set(name, state);
    return state;
  }

  #settle(state: FileState, content: string | Buffer | null): void {
    if (state.isSettled) return;
    state.isSettled = true;
    if (content !== null)
      state.input = this.#keep(typeof content === "string" ? Buffer.from(content) : content, state.name);
  }

  #hold(state: FileState, text: string): void {
    this.#drop(state);
    state.now = { text };
    this.#held += text.length;
    if (this.#held <= maxHeld) return;
    for (const other of this.#states.values()) {
      if (this.#held <= maxHeld / 2) return;
      const { now } = other;
      if (other === state || now === undefined || !("text" in now)) continue;
      this.#drop(other);
      if (other.isWritten) other.now = { stored: this.#keep(Buffer.from(now.text), other.name) };
    }
  }

  #drop(state: FileState): void {
    if (state.now !== undefined && "text" in state.now) this.#held -= state.now.text.length;
    delete state.now;
  }
}
