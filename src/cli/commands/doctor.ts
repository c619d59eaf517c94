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
      summary: "fix what ctx can fix; asks who the store is for if its file modes do not say",
    },
    ...oneOf([
      {
        long: "private",
        needs: ["fix"],
        summary: "make the store private: only you can read it, and git ignores it",
      },
      { long: "shared", needs: ["fix"], summary: "make the store shared: a team commits it to git" },
    ]),
  ],
  examples: [
    { run: "ctx doctor", does: "check this machine and the store here" },
    { run: "ctx doctor --fix --private", does: "make the store readable only by you" },
  ],
  exits: [
    { status: 0, when: "nothing is wrong; something optional may be missing" },
    { status: 1, when: "something is wrong" },
    { status: 2, when: "something could not be fixed" },
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
    notice(call, "the store was not changed: say who it is for with --private or --shared");
    return undefined;
  }
  const answer = question(
    "Other users of this machine can read this store. Is it private (p), or shared by a team in git (s)? [p/s, anything else leaves it] ",
  ).toLowerCase();
  if (answer === "p" || answer === "private") return "private";
  return answer === "s" || answer === "shared" ? "shared" : undefined;
}
