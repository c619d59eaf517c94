// All commands, in the order in which --help lists them.
import { cat } from "./commands/cat.js";
import { completeFrom } from "./commands/complete.js";
import { completion } from "./commands/completion.js";
import { diff } from "./commands/diff.js";
import { discover } from "./commands/discover.js";
import { doctor } from "./commands/doctor.js";
import { exportCommand } from "./commands/export.js";
import { fork } from "./commands/fork.js";
import { grep } from "./commands/grep.js";
import { hook, sealer } from "./commands/hook.js";
import { importCommand } from "./commands/import.js";
import { gc } from "./commands/gc.js";
import { init } from "./commands/init.js";
import { log } from "./commands/log.js";
import { pack } from "./commands/pack.js";
import { pull } from "./commands/pull.js";
import { push } from "./commands/push.js";
import { remote } from "./commands/remote.js";
import { replay } from "./commands/replay.js";
import { scan } from "./commands/scan.js";
import { show } from "./commands/show.js";
import { rm } from "./commands/rm.js";
import { stats } from "./commands/stats.js";
import { status } from "./commands/status.js";
import { tag } from "./commands/tag.js";
import { trust } from "./commands/trust.js";
import { verify } from "./commands/verify.js";
import type { Command, CommandTable } from "./command.js";
import { indexer } from "./search-index.js";

/** The commands that people use, grouped by purpose. */
export const groups: CommandTable["groups"] = [
  { title: "Capture", commands: [init, pack, discover, hook] },
  { title: "Inspect", commands: [log, grep, show, diff, stats, tag] },
  { title: "Reproduce", commands: [replay, fork, status] },
  { title: "Prove", commands: [verify, scan] },
  { title: "Share", commands: [exportCommand, importCommand, push, pull, remote] },
  { title: "Maintain", commands: [rm, gc, trust, doctor] },
  { title: "Plumbing", commands: [cat, completion], isPlumbing: true },
];

/** The commands that `ctx --help` lists first: a run from its capture to its fork. */
export const first: CommandTable["first"] = [init, pack, log, show, diff, replay, verify, fork];

export const commands: readonly Command[] = [
  ...groups.flatMap((group) => group.commands),
  sealer,
  indexer,
  completeFrom(() => commands),
];
