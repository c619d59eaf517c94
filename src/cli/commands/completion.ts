import type { CompletionResult } from "../../results/results.js";
import type { Command } from "../command.js";
import { print } from "../print.js";

export const completion: Command = {
  name: "completion",
  summary: "print a script that completes ctx in your shell",
  details:
    "With it, the shell completes commands, options, packs, tags, models and tools when you press TAB. The script calls ctx for them, so a new version needs no new script.",
  arguments: [
    {
      name: "shell",
      summary: "bash, zsh, fish or powershell",
      required: true,
      complete: ["bash", "zsh", "fish", "powershell"],
    },
  ],
  options: [],
  notes: {
    title: "to install",
    rows: [
      ["bash", 'in ~/.bashrc: `eval "$(ctx completion bash)"`'],
      ["zsh", 'in ~/.zshrc, after compinit: `eval "$(ctx completion zsh)"`'],
      ["fish", "once: `ctx completion fish > ~/.config/fish/completions/ctx.fish`"],
      ["powershell", "in $PROFILE: `ctx completion powershell | Out-String | iex`"],
    ],
  },
  examples: [{ run: "ctx completion bash", does: "print the script for bash" }],
  exits: [
    { status: 0, when: "printed" },
    { status: 2, when: "there is no script for that shell" },
  ],
  async run(call) {
    const [shell = ""] = call.arguments;
    const { scripts } = await import("../completion-scripts.js");
    const script = scripts[shell as keyof typeof scripts];
    await print(call, { shell, script } satisfies CompletionResult, () => script);
    return 0;
  },
};
