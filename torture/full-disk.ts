// Disks that are full or read-only, and standard output that cannot be written to: nothing is reported that
// does not exist, nothing is left behind, and with space the same command works.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { ctxCommand, type Ended, pool, start } from "../dev/processes.js";
import { copyOf } from "../dev/scenes.js";
import type { Case, Options, Report } from "./case.js";
import { inFolder, Judge } from "./judge.js";
import { chance, shuffled, spread } from "./sample.js";
import { run, type State, stateOf, type Subject } from "./subject.js";
import * as subjects from "./subjects.js";

/** A tmpfs with a copy of a start state. */
class SmallDisk {
  readonly folder: string;

  constructor(scratch: string, { scene }: State) {
    this.folder = fs.mkdtempSync(join(scratch, "small-"));
    mount(["-t", "tmpfs", "-o", "mode=0755,size=64m,nr_inodes=5000", "tmpfs", this.folder]);
    fs.cpSync(scene.folder, this.folder, { recursive: true, preserveTimestamps: true });
  }

  /** Leaves this many pages, or files, free. */
  leave(what: "bytes" | "inodes", count: number): void {
    const { bsize, blocks, bfree, files, ffree } = fs.statfsSync(this.folder);
    const rule =
      what === "bytes" ? `size=${(blocks - bfree + count) * bsize}` : `nr_inodes=${files - ffree + count}`;
    mount(["-o", `remount,${rule}`, this.folder]);
  }

  freeze(): void {
    mount(["-o", "remount,ro", this.folder]);
  }

  remove(): void {
    spawnSync("umount", ["-l", this.folder], { stdio: "ignore" });
    fs.rmdirSync(this.folder);
  }
}

function mount(args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${args.join(" ")}: ${stderr}`);
}

/** Runs the command on such a disk, and judges a copy of the result. */
async function squeeze(
  { scratch }: Options,
  state: State,
  judge: Judge,
  prepare: (disk: SmallDisk) => string,
): Promise<{ ended: Ended; wrong: string[] }> {
  const disk = new SmallDisk(scratch, state);
  try {
    const errno = prepare(disk);
    const ended = await run(state.scene, disk.folder);
    const failure = { folder: disk.folder, errno, isOutput: false };
    const wrong = await judge.afterRefusal(copyOf(disk.folder), ended, failure);
    return { ended, wrong: wrong.map((text) => inFolder(text, disk.folder)) };
  } finally {
    disk.remove();
  }
}

/** Returns the commands, or in the short form some of them. */
async function statesFor({ short, seed }: Options, few: number): Promise<[Subject, State][]> {
  const all = Object.values(subjects);
  const chosen = short ? spread(all, few, chance(seed), ({ name }) => name) : all;
  return await pool(chosen, async (subject) => [subject, await stateOf(subject, "fresh")]);
}

function sum(reports: readonly Report[]): Report {
  return {
    points: reports.reduce((all, { points }) => all + points, 0),
    tries: reports.reduce((all, { tries }) => all + tries, 0),
    violations: reports.flatMap(({ violations }) => violations),
  };
}

/** From no space at all to enough for everything. */
function tooSmall(what: "bytes" | "inodes"): Case {
  return {
    group: "full disk",
    name: `tmpfs that runs out of ${what}`,
    needs: ["root"],
    async run(options: Options): Promise<Report> {
      const reports = await pool(await statesFor(options, 4), async ([{ name }, state]) => {
        const judge = new Judge(state);
        const violations: string[] = [];
        let tries = 0;
        const fits = async (room: number): Promise<boolean> => {
          tries++;
          options.say(`${name}, ${room}`);
          const { ended, wrong } = await squeeze(options, state, judge, (disk) => {
            disk.leave(what, room);
            return "ENOSPC";
          });
          violations.push(...wrong.map((text) => `${name}, room for ${room} ${unit[what]}: ${text}`));
          return ended.status === state.clean.status && wrong.length === 0;
        };
        if (options.short)
          for (const room of shuffled(few, chance(options.seed + name.length)).slice(0, 3)) await fits(room);
        // Twice in a row, because optional files may be left out.
        else
          for (let room = 0, good = 0; good < 2 && room < 600; room++)
            good = (await fits(room)) ? good + 1 : 0;
        return { points: tries, tries, violations };
      });
      return sum(reports);
    },
  };
}

const unit = { bytes: "pages", inodes: "files" };
const few = Array.from({ length: 16 }, (_, room) => room);

const readOnly: Case = {
  group: "full disk",
  name: "read-only mount",
  needs: ["root"],
  async run(options: Options): Promise<Report> {
    const reports = await pool(await statesFor(options, 6), async ([{ name }, state]) => {
      const { ended, wrong } = await squeeze(options, state, new Judge(state), (disk) => {
        disk.freeze();
        return "EROFS";
      });
      if (ended.status === 0 && state.scene.isSilent !== true) wrong.push(`succeeds: ${ended.stdout}`);
      return { points: 1, tries: 1, violations: wrong.map((text) => `${name}: ${text}`) };
    });
    return sum(reports);
  },
};

/**
 * Ways in which standard output takes nothing: a redirection of the shell, or a pipe without a reader; and
 * how the command ends.
 */
const outputs = {
  "/dev/full": { words: "> /dev/full", errno: "ENOSPC", status: 2 },
  "a closed pipe": { words: "", errno: "EPIPE", status: 0 },
  "a closed descriptor": { words: ">&-", errno: "EBADF", status: 0 },
};

function mute({ scene }: State, words: string, folder: string): Promise<Ended> {
  const command = ctxCommand(folder, scene.args);
  const options = scene.options?.(folder) ?? {};
  if (words === "") return start(command[0] as string, command.slice(1), { ...options, deaf: true }).ended;
  return start("sh", ["-c", `exec "$@" ${words}`, "sh", ...command], options).ended;
}

function deaf([name, { words, errno, status }]: [string, (typeof outputs)["/dev/full"]]): Case {
  return {
    group: "output",
    name,
    async run(options: Options): Promise<Report> {
      const reports = await pool(await statesFor(options, 4), async ([subject, state]) => {
        const folder = copyOf(state.scene.folder);
        const failure = { folder, errno, isOutput: true };
        const ended = await mute(state, words, folder);
        const isSaid = state.clean.ended.stdout !== "";
        const wrong = await new Judge(state).afterRefusal(copyOf(folder), ended, failure);
        if (ended.status !== (isSaid ? status : state.clean.status))
          wrong.push(`status ${ended.status}: ${ended.stderr}`);
        return { points: 1, tries: 1, violations: wrong.map((text) => `${subject.name}: ${text}`) };
      });
      return sum(reports);
    },
  };
}

export const fullDiskCases: Case[] = [
  tooSmall("bytes"),
  tooSmall("inodes"),
  readOnly,
  ...Object.entries(outputs).map(deaf),
];
