// What programs are to a replay, by name: which work on the files of the workspace alone, and which depend on
// the rest of the machine, on the network or on the clock. Data for command-class.ts.
import { words } from "../base/lists.js";

/** Keywords and builtins of shells: they need no program, and touch no file that is not among their words. */
export const builtins = words(
  ": [ [[ ]] break case continue cd do done echo elif else esac exit export false fi for function if in let local printf pwd read return set shift test then true unset until wait while declare typeset readonly { } ! time builtin command exec shopt trap source . eval alias unalias bg fg jobs hash history help mapfile popd pushd dirs readarray select times type ulimit umask wait compgen complete disown fc getopts kill logout enable caller suspend setopt unsetopt autoload zmodload emulate print whence zstyle rehash",
);

/** Builtins that only change the shell, or print their words. */
export const plainBuiltins = words(
  ": break case continue done echo esac exit export false fi for in local printf pwd return shift test true wait while declare typeset readonly [ [[ ]] { } sleep set shopt unset read",
);

/** Programs that print the words that they get, and open no file. */
export const spoken = words(
  "echo printf : true false export declare local typeset readonly set shopt sleep exit return",
);

/** Programs that only read files and standard input. */
export const pureReaders = words(
  "cat tac nl head tail wc sort uniq cut tr rev paste join comm fold column expand unexpand fmt diff cmp grep egrep fgrep rg ls find basename dirname seq od xxd hexdump base64 md5sum sha1sum sha256sum sha512sum cksum strings jq tree file awk gawk mawk sed git xargs less more",
);

/** Programs that change the files that they name. */
export const pureWriters = words("mkdir rmdir touch rm cp mv ln tee chmod truncate install patch");

/** Subcommands of git that use nothing but the repository. */
export const localGit = words(
  "status log show diff add commit rm mv restore checkout switch branch tag stash reset rev-parse ls-files ls-tree cat-file grep blame annotate describe merge rebase cherry-pick revert clean shortlog rev-list diff-tree diff-index diff-files merge-base show-ref for-each-ref symbolic-ref apply hash-object update-index check-ignore notes name-rev whatchanged cherry range-diff write-tree read-tree commit-tree update-ref count-objects",
);

/** Why a program is of the world, whatever its arguments are. */
const worldPrograms: readonly (readonly [why: string, names: string])[] = [
  [
    "network",
    "curl wget gh glab hub ssh scp sftp rsync ftp telnet nc ncat netcat ping dig nslookup host whois traceroute aws gcloud az heroku vercel netlify flyctl fly wrangler psql mysql mongosh redis-cli brew apt apt-get apk dnf yum pacman http https httpie openssl websocat",
  ],
  [
    "processes",
    "ps pgrep pkill kill killall top htop lsof fuser netstat ss jobs disown systemctl service journalctl launchctl docker docker-compose podman nerdctl kubectl minikube helm tmux screen crontab at",
  ],
  ["clock", "date cal uptime"],
  [
    "machine",
    "uname hostname whoami id groups who w df free nproc lscpu lsblk mount umount dmesg ip ifconfig sysctl sw_vers system_profiler env printenv ulimit tty stty locale getent last arch vm_stat open xdg-open osascript pbcopy pbpaste xclip history fc",
  ],
];

const worldReasons: ReadonlyMap<string, string> = new Map(
  worldPrograms.flatMap(([why, names]) => names.split(" ").map((name) => [name, why] as const)),
);

/** Subcommands of package managers and others that need the network. */
const networkCommands: Readonly<Record<string, RegExp>> = {
  git: /^(?:push|pull|fetch|clone|ls-remote|submodule|send-email|request-pull)$/,
  npm: /^(?:install|i|ci|add|update|up|upgrade|publish|view|info|search|audit|outdated|login|whoami|create|init|pack|link|dist-tag|fund)$/,
  pnpm: /^(?:install|i|add|update|up|publish|view|info|audit|outdated|dlx|create|import)$/,
  yarn: /^(?:install|add|up|upgrade|publish|info|audit|outdated|dlx|create)$/,
  bun: /^(?:install|i|add|update|publish|outdated|create|x)$/,
  pip: /^(?:install|download|index|search)$/,
  pip3: /^(?:install|download|index|search)$/,
  uv: /^(?:sync|add|lock|pip|tool|python|publish)$/,
  poetry: /^(?:install|add|update|lock|publish)$/,
  cargo: /^(?:install|fetch|add|update|publish|search|login)$/,
  go: /^(?:get|install)$/,
  gem: /^(?:install|update|push|search)$/,
  bundle: /^(?:install|update|add)$/,
  composer: /^(?:install|update|require)$/,
  mix: /^(?:deps\.get|deps\.update|hex\.\w+|archive\.install|local\.\w+)$/,
  terraform: /^(?:init|plan|apply|destroy)$/,
};

/** Wrappers of a command that reach another user, another system or another machine. */
const worldWrappers: Readonly<Record<string, string>> = {
  docker: "processes",
  podman: "processes",
  nerdctl: "processes",
  "docker-compose": "processes",
  kubectl: "processes",
  crictl: "processes",
  lxc: "processes",
  chroot: "outside",
  nsenter: "processes",
  wsl: "machine",
};

/** Returns why a program with these arguments depends on the world; undefined if that is not certain. */
export function worldReason(program: string, args: readonly string[]): string | undefined {
  const reason = worldReasons.get(program);
  if (program === "openssl") return args[0] === "s_client" ? reason : undefined;
  if (program === "date" && args.some((word) => /^(?:-d|--date|-r|--reference|-f)/.test(word)))
    return undefined;
  if (reason !== undefined) return reason;
  const pattern = Object.hasOwn(networkCommands, program) ? networkCommands[program] : undefined;
  const [first, second] = program === "git" ? gitWords(args) : args.filter((word) => !word.startsWith("-"));
  if (pattern?.test(first ?? "") === true) {
    if (program === "uv" && first === "python" && second !== "install") return undefined;
    return "network";
  }
  if (program === "go" && first === "mod" && /^(?:download|tidy|vendor)$/.test(second ?? ""))
    return "network";
  if (program === "git" && first === "remote" && /^(?:update|show|prune)$/.test(second ?? ""))
    return "network";
  if (program === "git" && first === "config") return "home";
  return undefined;
}

export function wrapperReason(wrapper: string): string | undefined {
  return Object.hasOwn(worldWrappers, wrapper) ? worldWrappers[wrapper] : undefined;
}

/** Returns the subcommand of git and what follows it, without git's own options before it. */
export function gitWords(args: readonly string[]): string[] {
  let at = 0;
  while (args[at]?.startsWith("-") === true)
    at += /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path))$/.test(args[at] as string) ? 2 : 1;
  return args.slice(at);
}
