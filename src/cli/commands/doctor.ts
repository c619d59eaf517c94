import type { Command } from "../command.js";
import { writeJson } from "../output.js";
import { userPlace } from "../user.js";

export const doctor: Command = {
  name: "doctor",
  summary: "say what this machine and store have and lack for ctx",
  arguments: [],
  options: [],
  examples: [{ run: "ctx doctor", does: "look at the machine, and at the store here" }],
  exits: [
    { status: 0, when: "nothing is wrong; something optional may be lacking" },
    { status: 1, when: "something is wrong" },
  ],
  async run(call) {
    const ops = await import("../../ops/doctor.js");
    const { out, env } = call.terminal;
    const result = ops.doctor(call.folder, { path: env["PATH"] ?? "", state: userPlace(env).state });
    if (call.json) writeJson(call.terminal, result);
    else {
      const { renderDoctor } = await import("../../render/doctor.js");
      out.write(renderDoctor(result, out.screen));
    }
    return result.healthy ? 0 : 1;
  },
};
