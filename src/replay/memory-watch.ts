// Limits the memory of a program and all its descendants together. Private memory is what the kernel counts
// for each process; shared memory (mappings, memfd, System V, tmpfs) and the kernel's own memory (buffers of
// sockets and pipes, for example) need not belong to any process, so they are measured as what this machine
// has gained since the program was started.
import * as fs from "node:fs";

const defaultLimit = 4 * 1024 ** 3;

export interface MemoryOptions {
  /** In bytes. */
  limit?: number;
  /** Returns by how much files of the sandbox folder have grown on a tmpfs: the disk limit covers those. */
  inFiles?: () => number;
}

export class MemoryWatch {
  readonly #first: number;
  readonly #limit: number;
  /** The least shared memory of the machine since the start, without the files of the sandbox folder. */
  #shared: number;
  /** The same for the kernel's own memory. */
  #kernel: number;
  /** Minimum that must be left for the rest of the machine. */
  readonly #least: number;
  readonly #inFiles: () => number;

  /** Create it when the program starts; `first` is the process that all others descend from. */
  constructor(first: number, options: MemoryOptions = {}) {
    const { available, shared, kernel } = memoryInfo() ?? unknown;
    this.#first = first;
    this.#limit = options.limit ?? Math.min(defaultLimit, Math.floor((available / 4) * 3));
    this.#shared = shared;
    this.#kernel = kernel;
    this.#least = Math.min(256 * 1024 ** 2, available / 8);
    this.#inFiles = options.inFiles ?? (() => 0);
  }

  /** Returns why the program must be ended, if it must. */
  excess(): string | undefined {
    const info = memoryInfo();
    if (info === undefined) return undefined;
    if (info.available < this.#least) return "this machine has hardly any memory left";
    const level = info.shared - this.#inFiles();
    // Memory that other programs free must not hide what this one takes.
    this.#shared = Math.min(this.#shared, level);
    this.#kernel = Math.min(this.#kernel, info.kernel);
    const shared = level - this.#shared;
    const unowned = shared + info.kernel - this.#kernel;
    const processes = descendants(this.#first);
    // Pages shared since a fork are counted for each process, so the real figure is at most this sum. The
    // exact figure is more expensive to get.
    if (sum(processes, privateBytes) + unowned < this.#limit) return undefined;
    if (sum(processes, ownShare) + unowned < this.#limit) return undefined;
    return `its processes used more than the ${Math.floor(this.#limit / 1024 ** 2)} MiB of memory that a step may use`;
  }
}

function sum(processes: readonly string[], size: (pid: string) => number): number {
  return processes.reduce((total, pid) => total + size(pid), 0);
}

interface MemoryInfo {
  available: number;
  shared: number;
  /** Memory that belongs to neither processes nor files, and that the kernel would not free for others. */
  kernel: number;
}

const unknown: MemoryInfo = { available: Number.POSITIVE_INFINITY, shared: 0, kernel: 0 };

/** Returns undefined if there is no such file. */
function memoryInfo(): MemoryInfo | undefined {
  const text = readIfThere("/proc/meminfo") ?? "";
  const rows = new Map(
    [...text.matchAll(/^(\w+):\s*(\d+) kB$/gm)].map(([, name, size]) => [name, Number(size) * 1024]),
  );
  const [available, shared, total] = ["MemAvailable", "Shmem", "MemTotal"].map((name) => rows.get(name));
  if (available === undefined || shared === undefined || total === undefined) return undefined;
  const others = "MemFree Buffers Cached SwapCached AnonPages SReclaimable".split(" ");
  // A machine that does not report one of these does not report the kernel's memory either.
  if (!others.every((name) => rows.has(name))) return { available, shared, kernel: 0 };
  const kernel = others.reduce((left, name) => left - (rows.get(name) ?? 0), total) - zfsCache();
  return { available, shared, kernel };
}

/** Returns the size of the ZFS file cache, which counts as the kernel's memory. */
function zfsCache(): number {
  return Number(/^size\s+\d+\s+(\d+)$/m.exec(readIfThere("/proc/spl/kstat/zfs/arcstats") ?? "")?.[1] ?? 0);
}

/** Returns a process and all its descendants; none for a process that has exited. */
function descendants(first: number): string[] {
  const found = [String(first)];
  for (const pid of found)
    for (const thread of listIfThere(`/proc/${pid}/task`))
      for (const child of (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? "").split(" "))
        if (child !== "") found.push(child);
  return found;
}

/** Returns all private pages of a process. */
function privateBytes(pid: string): number {
  return Number(/^RssAnon:\s*(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? "")?.[1] ?? 0) * 1024;
}

/** Returns private pages, each divided by the number of processes that have it. */
function ownShare(pid: string): number {
  const share = /^Pss_Anon:\s*(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`) ?? "")?.[1];
  return share === undefined ? privateBytes(pid) : Number(share) * 1024;
}

function readIfThere(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function listIfThere(path: string): string[] {
  try {
    return fs.readdirSync(path);
  } catch {
    return [];
  }
}
