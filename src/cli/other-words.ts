// Words that people type because another program, or an earlier version, calls a command so: what to type
// instead. Each hint names only commands and options that exist, which a test checks.

type Hints = Readonly<Record<string, string>>;

/** Returns the same hint for several words. */
function sameHint(words: string, hint: string): Hints {
  return Object.fromEntries(words.split(" ").map((word) => [word, hint]));
}

/** Returns the hint for a word, and never what every object inherits. */
export function hintFor(hints: Hints | undefined, word: string): string | undefined {
  return hints !== undefined && Object.hasOwn(hints, word) ? hints[word] : undefined;
}

const noPager = sameHint(
  "--no-pager",
  "this command prints as it goes and uses no pager: leave --no-pager out",
);

export const otherWords: {
  /** Words in the place of a command. */
  commands: Hints;
  /** Options that a command does not have; those of "" no command has. */
  options: Readonly<Record<string, Hints>>;
  /** Words in the place of one of a command's fixed values, or of the name of a tag before a pack. */
  values: Readonly<Record<string, Hints>>;
} = {
  commands: {
    ...sameHint("export-log convert", "`ctx export <pack> --as atif` writes a run as a log for other tools"),
    ...sameHint("cat-file", "`ctx cat <hash>` writes the bytes of a blob"),
    ...sameHint("ls list", "`ctx log` lists the packs here, `ctx remote ls <remote>` those in a registry"),
    ...sameHint("sidecar", "`ctx verify <file> --write-sidecar` writes the sidecar of a verified file"),
    ...sameHint("history runs packs reflog rev-list rev-parse head tail", "`ctx log` lists the packs here"),
    ...sameHint("search query rg", "`ctx grep <pattern>` searches runs"),
    ...sameHint("filter", "`ctx log` filters runs by --model, --tool, --path, --since and more"),
    ...sameHint(
      "find sessions session agents",
      "`ctx discover` finds the sessions of agents on this machine",
    ),
    ...sameHint(
      "stat cost tokens usage summary count report",
      "`ctx stats` counts runs, steps, tokens and cost; `ctx show <pack>` shows those of one run",
    ),
    ...sameHint(
      "view ui open inspect info describe get print web browse",
      "`ctx show <pack>` shows a run; `ctx log` lists them",
    ),
    ...sameHint("blame annotate", "`ctx verify <file> --lines` says which lines a run produced"),
    ...sameHint("delete del remove drop forget", "`ctx rm <pack>` removes a pack"),
    ...sameHint(
      "undo revert reset",
      "packs never change: `ctx rm <pack>` removes one, `ctx fork <pack>` makes a copy to edit",
    ),
    ...sameHint(
      "merge rebase cherry-pick",
      "packs never change: `ctx diff <a> <b>` compares two, `ctx fork <pack>` makes a copy to edit",
    ),
    ...sameHint("clean cleanup prune", "`ctx gc` removes what no pack needs"),
    ...sameHint(
      "commit add save seal capture record ingest load",
      "`ctx pack <log>` packs the log of a finished run",
    ),
    ...sameHint("watch", "`ctx hook install <agent>` packs each session when it ends"),
    ...sameHint("hooks", "`ctx hook` lists the hooks"),
    ...sameHint("install setup enable", "`ctx hook install <agent>` packs sessions when they end"),
    ...sameHint(
      "start new create",
      "`ctx init` makes a store, `ctx hook install <agent>` packs sessions when they end",
    ),
    ...sameHint("stop", "`ctx hook remove <agent>` removes what `ctx hook install` wrote"),
    ...sameHint(
      "repair fix",
      "`ctx doctor --fix` fixes a store; `ctx verify` says how to repair damaged packs",
    ),
    ...sameHint("uninstall disable", "`ctx hook remove <agent>` removes what `ctx hook install` wrote"),
    ...sameHint(
      "unpack extract checkout switch restore edit branch copy draft drafts",
      "`ctx fork <pack>` makes a folder that you can edit from a pack",
    ),
    ...sameHint("untag", "`ctx tag -d <name>` removes a tag"),
    ...sameHint(
      "tags label name rename mv move",
      "`ctx tag` lists tags; `ctx tag <name> <pack>` tags a pack",
    ),
    ...sameHint("untrust distrust", "`ctx trust --forget` revokes trust in the settings of a store"),
    ...sameHint(
      "resume continue",
      "ctx does not run agents: `ctx replay <pack>` executes the tool calls of a run again, `ctx fork <pack>` makes a copy to edit",
    ),
    ...sameHint(
      "run rerun redo execute repeat",
      "`ctx replay <pack>` executes the tool calls of a run again",
    ),
    ...sameHint("compare cmp", "`ctx diff <a> <b>` compares two runs"),
    ...sameHint("check audit prove validate fsck test", "`ctx verify` checks a file, a pack or the store"),
    ...sameHint(
      "sign attest signature",
      "ctx does not sign packs: the name of a pack is its hash, and `ctx verify` checks both",
    ),
    ...sameHint(
      "redact mask secrets",
      "`ctx scan` finds secrets; `ctx help redaction` says how packs mask them",
    ),
    ...sameHint("remotes registry registries", "`ctx remote` lists your remotes"),
    ...sameHint("clone fetch download", "`ctx pull <remote>` fetches packs from a registry"),
    ...sameHint(
      "sync mirror",
      "`ctx push --all <remote>` sends packs to a registry, `ctx pull <remote> --all` fetches them",
    ),
    ...sameHint("backup dump", "`ctx export --all` writes all packs into one file"),
    ...sameHint(
      "update upgrade self-update",
      "ctx does not update itself: install a newer version as you installed this one",
    ),
    ...sameHint("man doc docs manual tutorial topics topic", "`ctx help` lists commands and topics"),
    ...sameHint("formats", "`ctx pack --from list` lists the formats"),
    ...sameHint("upload publish share send", "`ctx push <pack> <remote>` sends a pack to a registry"),
    ...sameHint("login logout auth", "`ctx help environment` says how ctx logs in to registries"),
    ...sameHint("bundle archive zip tar", "`ctx export <pack>` writes packs into one file"),
    ...sameHint(
      "config settings",
      "settings are in .ctx/config.json: `ctx help store` and `ctx help redaction`",
    ),
  },
  options: {
    "": {
      ...sameHint("--verbose --debug", "no command has it; CTX_DEBUG=1 prints the stack of an error"),
      ...sameHint("--quiet --silent -q", "no command has it; 2>/dev/null hides notes and progress"),
      ...sameHint(
        "--color --colour --no-color --no-colour",
        "NO_COLOR=1 turns colours off, FORCE_COLOR=1 turns them on: `ctx help environment`",
      ),
      ...sameHint(
        "--format --pretty --output-format --porcelain",
        "--json prints the result for scripts: `ctx help json`",
      ),
      ...sameHint("--store --cwd --dir", "-C <dir> names the folder to work in"),
    },
    log: {
      ...sameHint("--format --pretty", "the forms of a list are --oneline, --graph and --json"),
      ...sameHint("--author --committer --user", "--agent, --model, --project and --session filter runs"),
      ...sameHint("--after", "--since shows only runs since a time"),
      ...sameHint("--before", "--until shows only runs until a time"),
      ...sameHint("-p --patch --stat", "`ctx show <pack>` shows one run, `ctx diff <a> <b>` what differs"),
      ...sameHint("--all", "`ctx log` lists all packs; --subagents adds the runs of sub-agents"),
      ...sameHint(
        "--reverse",
        "the newest run is always first; --json prints one object per line, to sort as you like",
      ),
      ...sameHint(
        "--grep --search --filter",
        "`ctx grep <pattern>` searches texts; --path, --ran, --tool and --since filter runs",
      ),
      ...sameHint("--file --files --touched", "--path shows only runs that used a file"),
      ...sameHint("--command --cmd --exec", "--ran shows only runs that executed a command"),
      ...sameHint("--written --write --changed", "--wrote, with --path, shows only runs that changed a file"),
      ...sameHint(
        "--errors --failures",
        "`ctx log --failed` lists runs with failed calls, `ctx show <pack> --errors` the calls",
      ),
      ...sameHint("--limit --last --count --number", "-n <number> lists at most that many"),
    },
    grep: {
      ...sameHint(
        "-A -B --after-context --before-context",
        "--context <N> shows lines before and after each hit",
      ),
      ...sameHint("-v --invert-match", "ctx grep prints only lines that match"),
      ...sameHint("-r -R --recursive", "ctx grep searches every run"),
      ...sameHint(
        "-E -P -G --perl-regexp --extended-regexp",
        "patterns are regular expressions in RE2 syntax",
      ),
      ...sameHint("--files-with-matches --name-only", "-l lists the runs with hits"),
      ...sameHint(
        "--limit --last",
        "--max-runs <N> lists at most that many runs, -m <N> that many hits of each",
      ),
      ...sameHint(
        "--file --files",
        "--path searches only steps that name a file, `--in file` the files themselves",
      ),
      ...sameHint("--after", "--since searches only runs since a time"),
      ...sameHint("--before", "--until searches only runs until a time"),
    },
    stats: {
      ...sameHint("--errors --failures", "--failed counts only runs with failed calls"),
      ...sameHint("--group --group-by --per", "--by sets what the rows are"),
      ...sameHint(
        "--with-subagents --subruns",
        "--subagents counts the runs of sub-agents as runs of their own",
      ),
      ...sameHint("--no-subagents", "runs of sub-agents are part of the run that started them"),
      ...sameHint("--file --files", "--path counts only runs that used a file"),
      ...sameHint("--after", "--since counts only runs since a time"),
      ...sameHint("--before", "--until counts only runs until a time"),
    },
    show: {
      ...sameHint("--verbose -v --all -a", "--full shows everything, --step <N> one step"),
      ...sameHint("--raw", "`ctx cat <hash>` writes the bytes of a content"),
      ...sameHint(
        "--transcript --messages --conversation",
        "--full shows prompts, messages, calls and outputs",
      ),
      ...sameHint("--failed --failures", "--errors shows only calls that failed"),
    },
    diff: {
      ...sameHint(
        "--name-only --name-status",
        "--stat counts the differences, --no-content leaves out their texts",
      ),
      ...sameHint(
        "--word-diff -w",
        "--ignore <rule> leaves out a tool or a path; texts are compared line by line",
      ),
      ...sameHint("--quiet -q", "--exit-code exits with 1 if the runs differ"),
    },
    pack: {
      ...sameHint(
        "--dry-run -n",
        "`ctx show <log>` shows a run, `ctx scan <log>` its secrets; neither packs it",
      ),
      ...sameHint("--force -f", "nothing to force: packing a log twice makes the same pack"),
      ...sameHint("--name", "--tag names the pack"),
      ...sameHint("--message", "-m sets the title of the pack"),
      ...sameHint("--format", "--from names the format of the log"),
      ...noPager,
    },
    replay: {
      ...sameHint("--dry-run -n", "--plan shows what would run"),
      ...sameHint("-y --force", "--allow says which programs may run"),
      ...sameHint("--no-pager", "replay prints as it goes and uses no pager"),
    },
    push: {
      ...noPager,
      ...sameHint("--tag -t", "write the tag at the end of the address: oci://host/repository:tag"),
    },
    pull: noPager,
    status: noPager,
    doctor: noPager,
    cat: noPager,
    gc: sameHint("--force --now --prune", "--grace 0d removes everything that is not needed, however young"),
    hook: sameHint("--force -f", "--yes writes without asking"),
    trust: sameHint("--remove --revoke --delete -d", "--forget revokes the trust"),
    export: {
      ...noPager,
      ...sameHint("--to --format --type", "--as sets the format: atif, otlp or openai"),
    },
    verify: sameHint("--sidecar --write --fix", "--write-sidecar writes the sidecar of a verified file"),
    tag: { ...noPager, ...sameHint("--remove --rm", "-d removes a tag") },
  },
  values: {
    tag: {
      ...sameHint("rm remove delete del unset", "`ctx tag -d <name>` removes a tag"),
      ...sameHint("add create set", "`ctx tag <name> <pack>` tags a pack"),
      ...sameHint("list ls", "`ctx tag` lists the tags"),
    },
    hook: {
      ...sameHint("uninstall delete rm disable off stop", "did you mean `ctx hook remove`?"),
      ...sameHint("add enable on start setup", "did you mean `ctx hook install`?"),
      ...sameHint("list ls status show", "`ctx hook` without an argument lists the hooks"),
    },
    remote: {
      ...sameHint("remove delete del forget", "did you mean `ctx remote rm`?"),
      ...sameHint("list show", "`ctx remote` lists your remotes, `ctx remote ls <remote>` the packs in one"),
      ...sameHint("new create", "did you mean `ctx remote add`?"),
    },
  },
};
