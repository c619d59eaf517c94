// File systems in an image whose power can be cut: unflushed writes are lost, as after a real cut.
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";

/** How to make one, and its minimum size. */
const kinds = {
  ext4: { size: 32, make: ["mkfs.ext4", "-q", "-F"] },
  xfs: { size: 300, make: ["mkfs.xfs", "-q", "-f"] },
  btrfs: { size: 128, make: ["mkfs.btrfs", "-q", "-f"] },
};

export type DiskKind = keyof typeof kinds;
export const diskKinds = Object.keys(kinds) as DiskKind[];

/** Programs that are needed to cut the power of such a disk. */
export function needsOf(kind: DiskKind): string[] {
  return ["root", "strace", ...(kind === "btrfs" ? [] : ["perl"]), `mkfs.${kind}`];
}

/** FS_IOC_SHUTDOWN without flushing the journal: from now on nothing reaches the disk. */
const shutdown = `open(my $f, "<", $ARGV[0]) or die; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die "$!"`;

const environment = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };

export class LoopDisk {
  readonly #kind: DiskKind;
  readonly #image: string;
  /** Where it is mounted. */
  readonly folder: string;

  /** A new one in a folder of its own. */
  constructor(kind: DiskKind, scratch: string) {
    this.#kind = kind;
    const own = fs.mkdtempSync(join(scratch, `${kind}-`));
    this.#image = join(own, "image");
    this.folder = join(own, "disk");
    fs.mkdirSync(this.folder);
    fs.writeFileSync(this.#image, "");
    fs.truncateSync(this.#image, kinds[kind].size * 1024 * 1024);
    const [program = "", ...words] = kinds[kind].make;
    run(program, [...words, this.#image]);
    this.#mount();
  }

  #mount(): void {
    run("mount", ["-t", this.#kind, "-o", "loop", this.#image, this.folder]);
  }

  #unmount(): void {
    // A process that was killed a moment ago may still use it.
    for (let tries = 0; tries < 100; tries++) {
      if (spawnSync("umount", [this.folder], { stdio: "ignore", env: environment }).status === 0) return;
      spawnSync("sleep", ["0.05"]);
    }
    throw new Error(`cannot unmount ${this.folder}`);
  }

  /** Flushes everything, so that it outlives a cut. */
  flush(): void {
    run("sync", ["-f", this.folder]);
  }

  /** Cuts the power, and mounts what is left. */
  cut(): void {
    if (this.#kind === "btrfs") {
      const copy = `${this.#image}-cut`;
      run("cp", ["--sparse=always", this.#image, copy]);
      this.#unmount();
      fs.renameSync(copy, this.#image);
    } else {
      run("perl", ["-e", shutdown, this.folder]);
      this.#unmount();
    }
    this.#mount();
  }

  remove(): void {
    this.#unmount();
    fs.rmSync(this.#image);
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], env: environment });
}
