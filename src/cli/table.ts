// All commands, in the order in which --help lists them.
import { cat } from "./commands/cat.js";
import { completeFrom } from "./commands/complete.js";
import { completion } from "./commands/completion.js";
import { diff } from "./commands/diff.js";
import { discover } from "./commands/discover.js";
import { doctor } from "./commands/doctor.js";
import { exportCommand } from "./commands/export.js";
import { exportLog } from "./commands/export-log.js";
import { fork } from "./commands/fork.js";
import { hook, sealer } from "./commands/hook.js";
import { importCommand } from "./commands/import.js";
import { gc } from "./commands/gc.js";
import { init } from "./commands/init.js";
import { ls } from "./commands/ls.js";
import { log } from "./commands/log.js";
import { pack } from "./commands/pack.js";
import { pull } from "./commands/pull.js";
import { push } from "./commands/push.js";
import { remote } from "./commands/remote.js";
import { replay } from "./commands/replay.js";
import { scan } from "./commands/scan.js";
import { show } from "./commands/show.js";
import { rm } from "./commands/rm.js";
import { sidecar } from "./commands/sidecar.js";
import { status } from "./commands/status.js";
import { tag } from "./commands/tag.js";
import { trust } from "./commands/trust.js";
import { verify } from "./commands/verify.js";
import type { Command, CommandTable } from "./command.js";

/** The commands that people use, grouped by purpose. */
export const groups: CommandTable["groups"] = [
  { title: "take runs in", commands: [init, pack, discover, hook] },
  { title: "look at them", commands: [show, cat, log, tag, diff] },
  { title: "do them again", commands: [replay, fork, status] },
  { title: "prove them", commands: [verify, sidecar, scan] },
  { title: "share them", commands: [exportCommand, importCommand, push, pull, ls, remote, exportLog] },
  { title: "keep house", commands: [rm, gc, trust, doctor, completion] },
];

export const commands: readonly Command[] = [
  ...groups.flatMap((group) => group.commands),
  sealer,
  completeFrom(() => commands),
];
