import type { StoreKind } from "../../results/results.js";
import type { DoctorOptions } from "../../ops/doctor.js";
import { type Call, type Command, oneOf } from "../command.js";
import { notice } from "../output.js";
import { print } from "../print.js";
import { userPaths } from "../environment.js";

export const doctor: Command = {
  name: "doctor",
  summary: "check whether this machine and store are set up for ctx",
  arguments: [],
  options: [
    {
      long: "fix",
      summary: "put right what can be, and ask who the store is for where its modes leave that open",
    },
    ...oneOf([
      { long: "private", needs: "fix", summary: "the store is yours alone, and git ignores it" },
      { long: "shared", needs: "fix", summary: "the store is one that a team commits" },
    ]),
  ],
  examples: [
    { run: "ctx doctor", does: "look at the machine, and at the store here" },
    { run: "ctx doctor --fix --private", does: "make the store readable by you alone" },
  ],
  exits: [
    { status: 0, when: "nothing is wrong; something optional may be lacking" },
    { status: 1, when: "something is wrong" },
    { status: 2, when: "something could not be put right" },
  ],
  async run(call) {
    const ops = await import("../../ops/doctor.js");
    const { env } = call.terminal;
    const result = ops.doctor(call.folder, {
      path: env["PATH"] ?? "",
      program: call.terminal.program.at(-1) ?? "",
      env,
      state: userPaths(env).state,
      ...fixOptions(call),
    });
    await print(call, result, async (screen) => {
      const { renderDoctor } = await import("../../render/doctor.js");
      return renderDoctor(result, screen);
    });
    return result.healthy ? 0 : 1;
  },
};

function fixOptions(call: Call): Pick<DoctorOptions, "fix" | "kind" | "undecided"> {
  if (!call.options.has("fix")) return {};
  const kind = (["private", "shared"] as const).find((each) => call.options.has(each));
  return { fix: true, undecided: () => askStoreKind(call), ...(kind === undefined ? {} : { kind }) };
}

/** Asks whether the store is private or shared. Without a terminal to ask on, the store stays as it is. */
function askStoreKind(call: Call): StoreKind | undefined {
  const { ask: question } = call.terminal;
  if (question === undefined || call.json) {
    notice(call, "who the store is for was not said: add --private or --shared");
    return undefined;
  }
  const answer = question(
    "Others on this machine can read this store. Is it yours alone (p), or one that a team commits (s)? [p/s, else leave it] ",
  ).toLowerCase();
  if (answer === "p" || answer === "private") return "private";
  return answer === "s" || answer === "shared" ? "shared" : undefined;
}
