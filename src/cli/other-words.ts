// Words that people type because another program, or an earlier version, calls a command so: what to type
// instead. Each hint names only commands and options that exist, which a test checks.

type Hints = Readonly<Record<string, string>>;

/** Returns the same hint for several words. */
function sameHint(words: string, hint: string): Hints {
  return Object.fromEntries(words.split(" ").map((word) => [word, hint]));
}

export const otherWords: {
  /** Words in the place of a command. */
  commands: Hints;
  /** Options that a command does not have. */
  options: Readonly<Record<string, Hints>>;
  /** Words in the place of one of a command's fixed values. */
  values: Readonly<Record<string, Hints>>;
} = {
  commands: Object.assign(Object.create(null), {
    ...sameHint("export-log convert", "`ctx export <pack> --as atif` writes a run as a log for other tools"),
    ...sameHint("ls list", "`ctx log` lists the packs here, `ctx remote ls <remote>` those in a registry"),
    ...sameHint("sidecar", "`ctx verify <file> --write-sidecar` writes the sidecar of a verified file"),
    ...sameHint("history runs packs", "`ctx log` lists the packs here"),
    ...sameHint("grep search filter query", "`ctx log` has filters, such as --model, --tool and --since"),
    ...sameHint("find sessions agents", "`ctx discover` finds the sessions of agents on this machine"),
    ...sameHint("stats cost tokens usage", "`ctx show <pack>` has the tokens of one run"),
    ...sameHint(
      "view ui open inspect info describe get print web browse",
      "`ctx show <pack>` shows a run; `ctx log` lists them",
    ),
    ...sameHint("blame annotate", "`ctx verify <file> --lines` says which lines a run produced"),
    ...sameHint("delete del remove drop forget", "`ctx rm <pack>` removes a pack"),
    ...sameHint("undo revert reset", "packs never change; `ctx rm <pack>` removes one"),
    ...sameHint("clean cleanup prune", "`ctx gc` removes what no pack needs"),
    ...sameHint(
      "commit add save seal capture record ingest load",
      "`ctx pack <log>` packs the log of a finished run",
    ),
    ...sameHint("watch", "`ctx hook install <agent>` packs each session when it ends"),
    ...sameHint("hooks", "`ctx hook` lists the hooks"),
    ...sameHint("install setup enable", "`ctx hook install <agent>` packs sessions when they end"),
    ...sameHint("uninstall disable", "`ctx hook remove <agent>` removes what `ctx hook install` wrote"),
    ...sameHint(
      "unpack extract checkout restore edit branch copy draft drafts",
      "`ctx fork <pack>` makes a folder that you can edit from a pack",
    ),
    ...sameHint("untag", "`ctx tag -d <name>` removes a tag"),
    ...sameHint("tags label name rename", "`ctx tag` lists tags, and names a pack"),
    ...sameHint("untrust distrust", "`ctx trust --forget` revokes trust in the settings of a store"),
    ...sameHint("run rerun execute repeat", "`ctx replay <pack>` executes the tool calls of a run again"),
    ...sameHint("compare cmp", "`ctx diff <a> <b>` compares two runs"),
    ...sameHint("check audit prove validate fsck", "`ctx verify` checks a file, a pack or the store"),
    ...sameHint(
      "redact mask secrets",
      "`ctx scan` finds secrets; `ctx help redaction` says how packs mask them",
    ),
    ...sameHint("remotes registry registries", "`ctx remote` lists your remotes"),
    ...sameHint("clone fetch download", "`ctx pull <remote>` fetches packs from a registry"),
    ...sameHint("upload publish share send", "`ctx push <pack> <remote>` sends a pack to a registry"),
    ...sameHint("login logout auth", "`ctx help environment` says how ctx logs in to registries"),
    ...sameHint("bundle archive zip tar", "`ctx export <pack>` writes packs into one file"),
    ...sameHint(
      "config settings",
      "settings are in .ctx/config.json: `ctx help store` and `ctx help redaction`",
    ),
  }) as Hints,
  options: {
    log: {
      ...sameHint(
        "--grep --search --filter",
        "there is no search for text yet; --model, --tool and --since filter runs",
      ),
      ...sameHint("--limit --last --count --number", "-n lists at most that many"),
    },
    export: sameHint("--to --format --type", "--as names the format: atif, otlp or openai"),
    verify: sameHint("--sidecar --write --fix", "--write-sidecar writes the sidecar of a verified file"),
    tag: sameHint("--remove --rm", "-d removes a tag"),
  },
  values: {
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
