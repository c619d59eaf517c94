// A shell in a pseudo-terminal that a test types into. `script` of util-linux makes the terminal.
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempFolder } from "./folders.js";
import { program } from "./needs.js";

export type Shell = "bash" | "zsh" | "fish";

/** Other systems have another `script`, which does not know --version. */
export const terminals = program("script");

/** Control-T leaves the line that was typed so far in a file, so that a test can wait for it. */
const start: Record<
  Shell,
  { file: string; text: (line: string) => string; command: (rc: string) => string }
> = {
  bash: {
    file: "rc.bash",
    text: (line) => `eval "$(ctx completion bash)"
PS1='ready> '
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous on'
show_line() { printf %s "$READLINE_LINE" >'${line}.new' && mv '${line}.new' '${line}'; }
bind -x '"\\C-t": show_line'
`,
    command: (rc) => `bash --noprofile --rcfile '${rc}' -i`,
  },
  zsh: {
    file: ".zshrc",
    text: (line) => `autoload -Uz compinit && compinit -u -D
eval "$(ctx completion zsh)"
PS1='ready> '
unset zle_bracketed_paste
show-line() { print -rn -- "$BUFFER" >'${line}.new' && mv '${line}.new' '${line}' }
zle -N show-line
bindkey '^T' show-line
# Before it completes, expand-or-complete runs what stands in $( ), for every command: that is zsh's own doing.
bindkey '^I' complete-word
`,
    command: () => "zsh -i",
  },
  fish: {
    file: "rc.fish",
    text: (line) => `ctx completion fish | source
function fish_prompt; printf 'ready> '; end
function fish_greeting; end
bind \\ct "commandline | string collect >'${line}.new'; mv '${line}.new' '${line}'"
`,
    command: (rc) => `fish --no-config -i -C 'source ${rc}'`,
  },
};

export class ShellSession {
  readonly #child: ChildProcess;
  readonly #line: string;
  #screen = "";

  private constructor(child: ChildProcess, line: string) {
    this.#child = child;
    this.#line = line;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => void (this.#screen += text));
    child.stdin?.on("error", () => undefined);
  }

  /** Starts a shell in a folder, with the completion of ctx in it. */
  static async open(shell: Shell, options: { cwd: string; path: string }): Promise<ShellSession> {
    const home = tempFolder();
    const { file, text, command } = start[shell];
    const rc = join(home, file);
    const line = join(home, "line");
    fs.writeFileSync(rc, text(line));
    const { NODE_OPTIONS: _o, BASH_ENV: _b, INPUTRC: _i, ...inherited } = process.env;
    const child = spawn("script", ["--quiet", "--return", "--command", command(rc), "/dev/null"], {
      cwd: options.cwd,
      env: {
        ...inherited,
        PATH: options.path,
        HOME: home,
        ZDOTDIR: home,
        TERM: "xterm",
        LC_ALL: "C.UTF-8",
        COLUMNS: "120",
        HISTFILE: "/dev/null",
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const session = new ShellSession(child, line);
    await session.#until(() => session.#screen.includes("ready> "), "a prompt");
    return session;
  }

  /** Types on an empty line, and returns the line and the text on the screen when everything was done. */
  async type(keys: string): Promise<{ line: string; screen: string }> {
    fs.rmSync(this.#line, { force: true });
    this.#screen = "";
    this.#child.stdin?.write(`${keys}\u0014`);
    await this.#until(() => fs.existsSync(this.#line), `an answer to ${JSON.stringify(keys)}`);
    const line = fs.readFileSync(this.#line, "utf8").replace(/\n$/, "");
    // To the end of the line, then remove all of it.
    this.#child.stdin?.write("\u0005\u0015");
    return { line, screen: this.#screen };
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin?.end("exit\r");
    await Promise.race([ended, sleep(2000)]);
    this.#child.kill("SIGKILL");
  }

  async #until(isDone: () => boolean, what: string): Promise<void> {
    for (let tries = 0; !isDone(); tries++) {
      if (tries > 1500) throw new Error(`no ${what}; the screen shows ${JSON.stringify(this.#screen)}`);
      await sleep(20);
    }
  }
}
