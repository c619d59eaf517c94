// All commands, in the order in which --help lists them.
import { cat } from "./commands/cat.js";
import { completeFrom } from "./commands/complete.js";
import { completion } from "./commands/completion.js";
import { diff } from "./commands/diff.js";
import { discover } from "./commands/discover.js";
import { doctor } from "./commands/doctor.js";
import { exportLog } from "./commands/export-log.js";
import { fork } from "./commands/fork.js";
import { hook, sealer } from "./commands/hook.js";
import { gc } from "./commands/gc.js";
import { init } from "./commands/init.js";
import { log } from "./commands/log.js";
import { pack } from "./commands/pack.js";
import { replay } from "./commands/replay.js";
import { scan } from "./commands/scan.js";
import { show } from "./commands/show.js";
import { rm } from "./commands/rm.js";
import { sidecar } from "./commands/sidecar.js";
import { status } from "./commands/status.js";
import { tag } from "./commands/tag.js";
import { trust } from "./commands/trust.js";
import { verify } from "./commands/verify.js";
import type { Command } from "./command.js";

export const commands: readonly Command[] = [
  init,
  pack,
  discover,
  hook,
  show,
  cat,
  log,
  tag,
  diff,
  replay,
  fork,
  status,
  verify,
  scan,
  sidecar,
  exportLog,
  rm,
  gc,
  trust,
  doctor,
  completion,
  sealer,
  completeFrom(() => commands),
];
