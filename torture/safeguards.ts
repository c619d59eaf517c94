// Safeguards besides flushes: each row is one small change to the sources, after which the named case must
// fail. `npm run torture -- --safeguards` removes one after the other, on copies.

export interface Safeguard {
  kind: "lock" | "flush" | "escape" | "name" | "link" | "size" | "hash" | "trust";
  /** What is no longer done. */
  name: string;
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  /** Part of the name of a case that must fail. */
  missedBy: string;
}

const hostile = "hostile packs";
const ownPrograms = "test/cli/replay-own-programs.test.ts";

export const safeguards: Safeguard[] = [
  ...lines("lock", "src/store/lock.ts", "held back", [
    ["a sweep waits for those who add", `sweep: ["add", "once", "sweep"],`, `sweep: ["sweep"],`],
    ["who adds waits for a sweep", `add: ["sweep"],`, "add: [],"],
    ["what a living writer has aside stays", "if (alive.has(name)) continue;", ""],
  ]),
  ...lines("lock", "src/store/lock.ts", "test/system/concurrency.test.ts", [
    ["a log without a time is packed by one at a time", `once: ["once", "sweep"],`, `once: ["sweep"],`],
  ]),
  ...lines("lock", "src/store/write-tags.ts", "test/cli/tag.test.ts", [
    [
      "a tag that is taken stays",
      "else if (!batch.moveInIfFree(staged, path)) throw taken(tag);",
      "else batch.moveIn(staged, path);",
    ],
  ]),
  ...lines("lock", "src/store/batch-lock.ts", "crash: pack", [
    ["what a crash left is cleared", "    clearLeftovers(root);\n", ""],
  ]),
  ...lines("lock", "src/base/fs/atomic.ts", "test/unit/base/fs/atomic.test.ts", [
    [
      "a new file replaces none",
      "isCreated = linkIfFree(temporary, path);",
      "fs.renameSync(temporary, path);\n    isCreated = true;",
    ],
    ["what a crash left beside a file is cleared", "  if (!isSwept) sweepLeftovers(folder);\n", ""],
    ["a change in the meantime is not overwritten", "      confirm?.();\n", "      void confirm;\n"],
  ]),
  ...lines("lock", "src/base/fs/leftovers.ts", "test/unit/base/fs/atomic.test.ts", [
    [
      "what a living process writes beside a file stays",
      "isOwnerRunning(owner) ??",
      "isOwnerRunning(owner) === undefined &&",
    ],
  ]),
  ...lines("link", "src/base/fs/owner-mode.ts", "test/unit/base/fs/atomic.test.ts", [
    [
      "a new file is no link, and no old file",
      `fs.openSync(path, "wx", mode)`,
      `fs.openSync(path, "w", mode)`,
    ],
  ]),
  ...lines("flush", "src/base/fs/atomic.ts", "test/system/atomic-writes.test.ts", [
    ["the bytes of a file are flushed before they take its name", "        fs.fsyncSync(descriptor);\n", ""],
    [
      "the name of a file is flushed",
      "    if (durable) flushFolder(folder, dirname(shown));\n",
      "    if (durable) void flushFolder;\n",
    ],
  ]),
  ...lines("flush", "src/base/fs/make-folders.ts", "test/system/atomic-writes.test.ts", [
    ["the name of a new folder is flushed", "    flushFolder(above);\n", "    void flushFolder;\n"],
  ]),
  ...lines("size", "src/base/fs/atomic.ts", "test/system/atomic-writes.test.ts", [
    [
      "what was written aside has arrived",
      "checkSize(shown, descriptor, writeContent(descriptor, content));",
      "writeContent(descriptor, content);\n        void checkSize;",
    ],
  ]),
  ...lines("escape", "src/base/printable.ts", hostile, [
    ["a line for a person", "  return replaceUnsafe(text, escapeVisibly);", "  return text;"],
    [
      "several lines for a person",
      `character === "\\n" || character === "\\t" ? character : escapeVisibly(character)`,
      "character",
    ],
    ["JSON for a script", "  if (plain.test(json)) return json;", "  return json;"],
    ["bidi, invisible and other format characters", "\\p{Cc}\\p{Cf}\\p{Cs}", "\\p{Cc}\\p{Cs}"],
    ["what can be ignored by default", "\\p{Default_Ignorable_Code_Point}]/gu", "]/gu"],
  ]),
  ...lines("escape", "src/render/error.ts", hostile, [
    ["the message of an error", "${printable(error.message)}", "${error.message}"],
    ["a problem of a document", "${location}${printable(message)}", "${location}${message}"],
    ["the place of a problem", `paint("cyan", printable(path))`, `paint("cyan", path)`],
  ]),
  ...lines("escape", "src/cli/commands/cat.ts", hostile, [
    ["a blob on a terminal", 'printableLines(blob.text ?? "")', 'blob.text ?? ""'],
  ]),
  ...lines("escape", "src/cli/candidates.ts", hostile, [
    ["what a shell is offered", " && isSafe(value)", ""],
  ]),
  ...lines("name", "src/model/pack-name.ts", hostile, [
    [
      "tags are names, and no paths",
      `return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) && text !== "latest"`,
      `return text !== "latest"`,
    ],
  ]),
  ...lines("name", "src/model/names.ts", hostile, [
    [
      "names of contents lead nowhere else",
      `  if (name === "") return "must not be empty";`,
      "  return undefined;",
    ],
    [
      "names in drafts lead nowhere else",
      "  if (nameProblem(name) === undefined) return name;",
      "  return name;",
    ],
  ]),
  ...lines("name", "src/model/file-names.ts", hostile, [
    [
      "names are encoded for every file system",
      'part.replaceAll(/[\\p{Cc}%<>:"|?*\\\\/]/gu, percentEncoded)',
      "part",
    ],
    [
      "devices, .git and .ctx are other names",
      "if (device.test(encoded) || isReserved(encoded))",
      "if (false)",
    ],
    ["names are not too long", "Buffer.byteLength(encoded) <= maxPartBytes ? encoded", "true ? encoded"],
    [
      "names that differ in case only are told apart",
      `path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")`,
      "path",
    ],
  ]),
  ...lines("name", "src/registry/remotes.ts", hostile, [
    ["names of remotes in the settings", "filter((name) => !isRemoteName(name))", "filter(() => false)"],
  ]),
  ...lines("name", "src/ops/remote.ts", hostile, [
    ["names of remotes that are added", "  if (!isRemoteName(name))\n", "  if (name === undefined)\n"],
  ]),
  ...lines("name", "src/registry/address.ts", hostile, [
    ["hosts are written as they are used", "  if (known !== name) throw", "  if (known === name + 1) throw"],
  ]),
  ...lines("name", "src/bundle/read-layout.ts", hostile, [
    [
      "a bundle has only the names of a layout",
      "      if (hex === undefined || !isHash(hex)) throw this.#bad(`it contains an unexpected file ${name}`);\n",
      "      if (hex === undefined) return;\n",
    ],
  ]),
  ...lines("name", "src/verify/sidecars.ts", hostile, [
    [
      "sidecars go to no place outside",
      `    if (first === ".." || first === "" || first.toLowerCase() === storeName) return false;\n`,
      "",
    ],
  ]),
  ...lines("link", "src/base/fs/files.ts", hostile, [
    [
      "no link is followed to a file",
      "fs.openSync(path, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK)",
      "fs.openSync(path, flags.O_RDONLY | flags.O_NONBLOCK)",
    ],
    [
      "only regular files are read",
      "  if (stat.isFile()) return { descriptor",
      "  if (true) return { descriptor",
    ],
    [
      "no command waits for a pipe",
      "flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK)",
      "flags.O_RDONLY | flags.O_NOFOLLOW)",
    ],
    [
      "no link is followed to a folder",
      "flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW,",
      "flags.O_RDONLY | flags.O_DIRECTORY,",
    ],
  ]),
  ...lines("link", "src/store/hash-loop.ts", hostile, [
    [
      "no link is followed to an object that is hashed",
      "fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK",
      "fs.constants.O_RDONLY | fs.constants.O_NONBLOCK",
    ],
    [
      "no command waits for a pipe among the objects",
      "fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK",
      "fs.constants.O_NOFOLLOW",
    ],
  ]),
  ...lines("link", "src/store/objects.ts", hostile, [
    [
      "folders of objects are folders",
      "if (entry.isDirectory()) return entry.name;",
      "if (true) return entry.name;",
    ],
  ]),
  ...lines("link", "src/store/packs.ts", hostile, [
    [
      "entries of packs are files",
      `if (!stat.isFile()) throw new CtxError("damaged"`,
      `if (false) throw new CtxError("damaged"`,
    ],
  ]),
  ...lines("link", "src/bundle/read-tar.ts", hostile, [
    [
      "a bundle holds files and folders only",
      `if (!["0", "5", "x", "g"].includes(type)) throw`,
      "if (type === undefined) throw",
    ],
  ]),
  ...lines("size", "src/base/json/reader.ts", "fuzz: log", [
    ["nesting of documents", "if (++this.#depth > maxDepth)", "if (++this.#depth > 1e9)"],
  ]),
  ...lines("size", "src/intake/parse.ts", "fuzz: openinference log", [
    ["nesting of logs", "const deepest = 900;", "const deepest = 1e9;"],
  ]),
  ...lines("size", "src/bundle/read-tar.ts", hostile, [
    ["size of an entry in a bundle", "  if (entry.size > most) throw", "  if (most < 0) throw"],
    ["size of what is noted of an entry", "  if (size > 1 << 16) throw", "  if (size < 0) throw"],
  ]),
  ...lines("size", "src/bundle/read-layout.ts", hostile, [
    ["size of a manifest in a bundle", "  if (size > most) throw", "  if (most < 0) throw"],
    ["sizes that a bundle tells", "    if (expected !== size) throw", "    if (expected < 0) throw"],
  ]),
  ...lines("size", "src/registry/address.ts", "fuzz: address of a registry", [
    ["length of an address", "  if (text.length > longest)", "  if (text.length < 0)"],
  ]),
  ...lines("size", "src/base/fs/files.ts", "crash: pack", [
    ["what was written has arrived", "  if (actual === size) return;", "  if (actual >= 0) return;"],
  ]),
  ...lines("size", "src/ops/show.ts", "test/cli/show.test.ts", [
    ["size of what is shown", "const maxShown = 64 << 20;", "const maxShown = 2 ** 50;"],
  ]),
  ...lines("hash", "src/store/objects.ts", "bit rot: objects", [
    [
      "what is read has the hash of its name",
      "  if (actual === hex) return;",
      "  if (actual !== undefined) return;",
    ],
    [
      "what is there already has the right bytes",
      "      return size === expected.length && readBytes(descriptor, size).equals(expected);",
      "      return size === expected.length;",
    ],
  ]),
  ...lines("hash", "src/store/hash-loop.ts", "bit rot: objects", [
    [
      "what is verified has the hash of its name",
      "sha256(buffer.subarray(0, length)) === hex ? length : -1",
      "length",
    ],
  ]),
  ...lines("hash", "src/store/catalog-file.ts", "bit rot: cache", [
    [
      "a line of the catalog has its sum",
      "  if (line.slice(0, space) !== checksum(bytes)) throw new BrokenCatalog();\n",
      "",
    ],
  ]),
  ...lines("hash", "src/store/catalog-rows.ts", "bit rot: cache", [
    ["a row of the catalog has its sum", "  if (!hasSum(row)) throw new BrokenCatalog();\n", ""],
  ]),
  ...lines("hash", "src/store/packs.ts", "bit rot: packs", [
    [
      "a pack that is there is sound",
      "    if (!fs.lstatSync(path).isFile()) return false;\n",
      "    if (fs.existsSync(path)) return true;\n",
    ],
  ]),
  ...lines("hash", "src/bundle/arrival.ts", hostile, [
    [
      "a manifest that arrives has its hash",
      "    if (sha256(bytes) !== hex) throw wrong(hex, sha256(bytes));\n",
      "",
    ],
    ["a blob that arrives has its hash", "    if (found.hex !== hex) throw wrong(hex, found.hex);\n", ""],
    ["a blob in a tar has its hash", "      if (found !== name) throw wrong(name, found);\n", ""],
    [
      "all that a pack needs has arrived",
      "for (const blob of reaches) this.#check(hex, blob);",
      "void reaches;",
    ],
    [
      "only what a pack needs arrives",
      "      if (reaches?.has(hex) !== true)\n",
      "      if (reaches === undefined)\n",
    ],
  ]),
  ...lines("hash", "src/bundle/arrival.ts", hostile, [
    ["contents in a bundle are in order", "      if (name <= previous)", "      if (name === undefined)"],
  ]),
  ...lines("size", "src/intake/log-source.ts", "test/unit/intake/log-source.test.ts", [
    [
      "length of a record",
      "const isHeld = size <= maxLength;",
      "const isHeld = size <= maxLength || size > 0;",
    ],
  ]),
  ...lines("size", "src/intake/zip.ts", "test/unit/intake/zip.test.ts", [
    ["what a compressed log may become", "Math.min(maxPlausibleSize(bytes.length), maxTotal)", "2 ** 50"],
  ]),
  ...lines("link", "src/replay/dir-cursor.ts", "test/unit/replay/workspace.test.ts", [
    [
      "no step of a replay follows a link to a folder",
      "flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW;",
      "flags.O_RDONLY | flags.O_DIRECTORY;",
    ],
  ]),
  ...lines("trust", "src/registry/challenge.ts", "test/unit/registry/challenge.test.ts", [
    ["passwords go to the registry's own places", "|| !((isNamedSafely && isSafe) || isItself))", ")"],
  ]),
  ...lines("trust", "src/store/config.ts", "test/cli/redact.test.ts", [
    ["a store cannot turn masking off", `    mode: isOff ? "standard" : mode,`, "    mode,"],
  ]),
  ...lines("trust", "src/store/config.ts", hostile, [
    [
      "programs of a store are inert until they are trusted",
      `  if ("why" in trusted) return { usable: own, untrusted: names, why: trusted.why, bounds: new Map() };\n  const { adapters, mcp, normalise = [] } = trusted.replay;`,
      "  const { adapters, mcp, normalise = [] } = { ...shared, ...trusted };",
    ],
  ]),
  // How replay isolates and bounds programs.
  ...lines("trust", "src/replay/sandbox-mounts.ts", ownPrograms, [
    [
      "an adapter's home is not that of recorded commands",
      `"--bind", own.home, homeInside]`,
      `"--bind", join(box.folder, "home"), homeInside]`,
    ],
    [
      "an adapter does not start in the workspace",
      `["--chdir", startInside]`,
      `["--chdir", workspaceInside]`,
    ],
    [
      "an adapter cannot write to the workspace",
      `["--ro-bind", box.workspace, workspaceInside,`,
      `["--bind", box.workspace, workspaceInside,`,
    ],
  ]),
  ...lines("trust", "src/replay/program-executors.ts", ownPrograms, [
    ["an adapter is not read from the workspace", "    checkCommand(argv, box, this.#workspace);\n", ""],
    [
      "a program with a secret does not run beside commands of the pack",
      "options.runsCommands && privileges !== undefined",
      `options.runsCommands && privileges === ""`,
    ],
    [
      "the version of an adapter gets no secret",
      "        env: workspaceNames(this.#box, await this.#findSandbox()),\n",
      "",
    ],
  ]),
  ...lines("trust", "src/store/command-words.ts", ownPrograms, [
    [
      "relative words are beside their config",
      `const words = version === undefined ? {} : { version: resolveWords(version, folder) };`,
      'if (folder !== "") return [name, program];\n      const words = version === undefined ? {} : { version };',
    ],
  ]),
  ...lines("size", "src/replay/workspace.ts", "test/unit/replay/disk-budget.test.ts", [
    ["what built-in tools write is counted", "      this.#disk?.reserve(bytes.length);\n", ""],
    ["folders on the way are counted", "    this.#disk?.reserve(folderSize);\n", ""],
    [
      "no half file stays",
      "      if (error instanceof StepFailure && error.atLimit) this.#lose(path);\n",
      "",
    ],
  ]),
  ...lines("size", "src/replay/disk-budget.ts", "test/unit/replay/disk-budget.test.ts", [
    ["half of what is free", "Math.min(this.#most.bytes, half)", "Math.max(this.#most.bytes, half)"],
  ]),
  ...lines("size", "src/replay/disk-budget.ts", "test/system/sandbox.test.ts", [
    [
      "files without a name are counted",
      "const bytes = this.#used.bytes + this.#free.bytes - now.bytes;",
      "const bytes = this.#used.bytes;",
    ],
  ]),
  ...lines("size", "src/replay/memory-watch.ts", "test/system/sandbox.test.ts", [
    ["shared memory is counted", "const shared = level - this.#shared;", "const shared = 0;"],
    [
      "the memory of all processes is counted",
      "const processes = descendants(this.#first);",
      "const processes = descendants(this.#first).slice(0, 1);",
    ],
  ]),
  ...lines("size", "src/replay/outcome.ts", "test/system/replay-limits.test.ts", [
    ["a limit is not the failure that was recorded", " && atLimit !== true", ""],
  ]),
  ...lines("size", "src/replay/execute.ts", "test/system/replay-limits.test.ts", [
    ["what --seal keeps is counted", "    box.disk.reserve(bytes.length);\n", ""],
  ]),
  ...lines("size", "src/replay/sandbox-args.ts", "test/system/replay-limits.test.ts", [
    [
      "no step leaves a zombie",
      "--die-with-parent --as-pid-1 --new-session",
      "--die-with-parent --new-session",
    ],
  ]),
  // The verdict of a replay.
  ...lines("trust", "src/replay/fidelity.ts", "test/cli/replay-exact.test.ts", [
    [
      "a replay whose outputs differ is not exact",
      "isOff || isEmpty || isLow || outputs.some(({ reproduced }) => reproduced === false)",
      "isOff || isEmpty || isLow",
    ],
    ["a replay without a match is not exact", "return isOff || isEmpty ||", "return isOff ||"],
    [
      "an output that was there before is not made by a step",
      '    if (isUnchanged) return { ...unknown(null, "it was there before the first step"), unchanged: true };\n',
      "",
    ],
    [
      "an output that no executed step made is not reproduced",
      "actual === expected_hash ? undefined : dueBy);",
      "actual === expected_hash ? undefined : dueBy) ?? 0;",
    ],
  ]),
  ...lines("trust", "src/replay/effects.ts", "test/cli/replay-exact.test.ts", [
    [
      "a write that nothing was compared with is not matched",
      'return { verdict: { status: "recorded", message: `applied; ${why}` } };',
      'return { verdict: { status: "matched", message: `applied; ${why}` } };',
    ],
  ]),
  ...lines("trust", "src/replay/effects.ts", "test/unit/replay/effects.test.ts", [
    [
      "a write before a command is compared at the end",
      "watch.makerOf(path) === step.index && unexecuted",
      "watch.makerOf(path) === -1 && unexecuted",
    ],
  ]),
  ...lines("trust", "src/replay/failure-kinds.ts", "test/cli/replay-exact.test.ts", [
    [
      "a failure then and now is not matched",
      'status: "recorded", message: `failed then',
      'status: "matched", message: `failed then',
    ],
  ]),
  ...lines("trust", "src/replay/plan.ts", "test/cli/replay-imported.test.ts", [
    [
      "a refused call is not executed",
      'if (classified.class === "refused") return',
      "if (classified.class === undefined) return",
    ],
    [
      "a call of the world is not executed",
      'isImported && (classified.class === "world" || classified.class === "own")',
      "false",
    ],
    [
      "a divergence of an imported run counts",
      "return isImported || step.deterministic;",
      "return step.deterministic;",
    ],
  ]),
  ...lines("trust", "src/replay/output-watch.ts", "test/cli/replay-imported.test.ts", [
    ["a file that was set back is not reproduced", "state.isSetBack = true;", ""],
  ]),
  ...lines("trust", "src/replay/run-steps.ts", "test/cli/replay-imported.test.ts", [
    [
      "a call that failed then and works now is taken back",
      "if (isUndone) trial.undo();",
      "if (isUndone) trial.keep();",
    ],
  ]),
  ...lines("trust", "src/replay/run-steps.ts", "test/cli/replay-exact.test.ts", [
    ["the workspace is looked at after each command", "if (changesAny) watch.afterProgram(step.index);", ""],
  ]),
  ...lines("trust", "src/replay/rules/select.ts", "test/cli/replay-exact.test.ts", [
    ["what prints files is not normalised", "if (mayPrintFiles(argv))", 'if (tool === "")'],
  ]),
  ...lines("trust", "src/replay/rules/git.ts", "test/unit/replay/rules/git.test.ts", [
    [
      "only a step that commits makes a hash new",
      "isCommitting && hash.isMade && old.isMade",
      "hash.isMade && old.isMade",
    ],
    [
      "a file that git prints has no hashes of its own",
      "return isAlone && !printsFile ?",
      "return isAlone ?",
    ],
  ]),
  ...lines("trust", "src/replay/rules/cut.ts", "test/unit/replay/rules/cut.test.ts", [
    [
      "only a log that says so has cut records",
      "isMarked ? mark.exec(recorded) : null",
      "mark.exec(recorded)",
    ],
    ["the end of a cut record is compared", " && now.trimEnd().endsWith(tail)", ""],
  ]),
  ...lines("trust", "src/replay/rules/lines.ts", "test/unit/replay/rules/listing.test.ts", [
    ["a search finds as many lines", "one.length === other.length && ", ""],
  ]),
  ...lines("trust", "src/replay/rules/results.ts", "test/unit/replay/rules/results.test.ts", [
    ["only the results of a line that runs nothing else count", " || another !== undefined", ""],
  ]),
  ...lines("trust", "src/replay/rules/window.ts", "test/unit/replay/rules/window.test.ts", [
    [
      "a window says how many lines are below it",
      "if (first - 1 + lines.length + Number(below) !== total) return undefined;",
      "",
    ],
  ]),
  ...lines("trust", "src/verify/replay.ts", "test/cli/replay-exact.test.ts", [
    [
      "verify --replay says no where an output differs",
      '  if (wrong !== undefined) return answer("no", `${wrong.name}: ${wrong.message ?? "it differs"}`);\n',
      "",
    ],
    [
      "verify --replay never says yes about an output that no step made",
      'if (open !== undefined) return answer("not_checked"',
      'if (open !== undefined) return answer("yes"',
    ],
  ]),
  ...lines("trust", "src/render/replay-junit.ts", "test/cli/replay-exact.test.ts", [
    ["JUnit has a case for each output", "    ...report.outputs.map(outputCase),\n", ""],
  ]),
  // Packs that never ran, and files of which too little is known.
  ...lines("trust", "src/verify/content-claim.ts", "test/cli/origin.test.ts", [
    [
      "a draft proves no file",
      "  if (draft !== undefined) return `",
      "  if (draft !== undefined && draft.edited.length < 0) return `",
    ],
    ["a run answers before a draft", "    if (knownDraft(store, manifest) !== undefined) continue;\n", ""],
    ["a few bytes prove no file of another name", "const fewest = 16;", "const fewest = 0;"],
  ]),
  ...lines("trust", "src/seal/own-log.ts", "test/cli/origin.test.ts", [
    [
      "a log with the steps of its parent is no run",
      "(parent === undefined || !isNeverRun(manifest, parent))",
      '(parent === undefined || parent.hash === "")',
    ],
    ["no sidecar for what never ran", "options.sidecars && draft === undefined;", "options.sidecars;"],
    [
      "a draft says that it is one",
      "return { manifest: withOrigin(manifest, draft), draft };",
      "return { manifest, draft };",
    ],
  ]),
  ...lines("trust", "src/model/log.ts", "test/cli/origin.test.ts", [
    [
      "a log cannot say where it comes from",
      "Object.hasOwn(metadata, originKey))\n",
      'Object.hasOwn(metadata, ""))\n',
    ],
  ]),
  ...lines("trust", "src/verify/origin.ts", "test/cli/origin.test.ts", [
    [
      "drafts of earlier versions are recognised",
      "!isNeverRun(manifest, before)) return undefined;",
      "!isNeverRun(before, before)) return undefined;",
    ],
    [
      "what a pack says of itself makes no verdict better",
      "  if (draft !== undefined) return { ...draft, stated: origin.kind };\n",
      "",
    ],
  ]),
  ...lines("trust", "src/intake/formats/atif/own-root.ts", "test/cli/origin.test.ts", [
    [
      "an export does not make a run of a draft",
      'if (stated?.kind === "draft") builder',
      'if (stated?.kind === "continued") builder',
    ],
  ]),
  ...lines("trust", "src/model/origin.ts", "test/cli/origin.test.ts", [
    [
      "an exported draft is marked, also where a format has no place for its origin",
      '? { [markName]: "draft" } : {};',
      "? {} : {};",
    ],
  ]),
  ...lines("trust", "src/ops/export-as.ts", "test/cli/origin.test.ts", [
    [
      "an export marks a draft that does not say what it is",
      "  if (draft === undefined) return manifest;\n",
      "  if (draft?.recognised !== false) return manifest;\n",
    ],
  ]),
  ...lines("escape", "src/tools/edited-paths.ts", "test/unit/tools/edited-paths.test.ts", [
    [
      "names of the parent do not come along in the paths that were edited",
      "paths.add(list);\n  const kept",
      "for (const name of other.keys()) paths.add(namePath(list, name));\n  const kept",
    ],
  ]),
  // Stores: what packs/ may decide, which users may read, newer versions, git, the catalog.
  ...lines("hash", "src/store/packs.ts", "test/cli/pack-entries.test.ts", [
    [
      "an entry in packs/ does not decide how a pack is read",
      "  checkEntry(root, hex);\n",
      '  checkEntry(root, hex);\n  if (isOneLine(root, hex)) return { hex, signature: "", fromGo: true, manifest: readGoManifest(readObject(root, hex), `ctx://${hex}`), unknown: [] };\n',
    ],
    [
      "a one-line entry over a manifest of ours is damage",
      "  return foreignKeys(manifest).length === 0;",
      "  return foreignKeys(manifest).length >= 0;",
    ],
  ]),
  ...lines("hash", "src/model/go-manifest.ts", "test/cli/pack-entries.test.ts", [
    [
      "a manifest of the Go implementation has only keys that it writes",
      "const problems = foreignKeys(root).map(",
      "const problems = foreignKeys({}).map(",
    ],
  ]),
  ...lines("hash", "src/store/catalog.ts", "test/unit/store/catalog-changes.test.ts", [
    [
      "packs are added only to a catalog of this very store",
      "base.damaged > 0 || !isSamePlace(base.place, placeOf(store.root))",
      "base.damaged > 0",
    ],
    ["changes belong to one catalog", "newer?.kept.base === base.kept.id ? newer : undefined", "newer"],
  ]),
  ...lines("hash", "src/store/catalog-changes.ts", "test/unit/store/catalog-changes.test.ts", [
    ["a pack that is gone leaves the catalog", "seen.includes(0) ? undefined : others", "others"],
  ]),
  ...lines("hash", "src/store/catalog.ts", "test/cli/forged-catalog.test.ts", [
    [
      "an entry of the catalog counts for the file that it was read from",
      "old.signature === signatureOf(root, hex) ? old",
      'hex !== "" ? old',
    ],
  ]),
  ...lines("hash", "src/verify/find-content.ts", "test/cli/forged-catalog.test.ts", [
    [
      "packs are searched before the answer is that none has the bytes",
      "hasObject(store.root, hex) ? listPacks(store.root) : changedPacks(store);",
      "hasObject(store.root, hex) ? [] : changedPacks(store);",
    ],
    [
      "a pack that the catalog names is read",
      'hasPack(store.root, pack) : rolesIn(manifest, hex).has("output"))',
      "hasPack(store.root, pack) : manifest !== undefined)",
    ],
  ]),
  ...lines("trust", "src/store/modes.ts", "test/system/private-stores.test.ts", [
    [
      "nothing in a store is looser than its folder",
      "file: (maxMode) => maxMode & mask",
      "file: (maxMode) => maxMode",
    ],
  ]),
  ...lines("trust", "src/store/init.ts", "test/system/private-stores.test.ts", [
    [
      "a new store is its owner's alone",
      '    if (!shared) withPath(root, "change", () => fs.chmodSync(root, privateFolder));\n',
      '    if (!shared) withPath(root, "change", () => fs.chmodSync(root, 0o755));\n',
    ],
  ]),
  ...lines("trust", "src/store/store.ts", "test/system/private-stores.test.ts", [
    [
      "a store that cannot be opened ends the search",
      '    if (errno !== "EACCES" && errno !== "EPERM") throw error;\n',
      "    if (errno !== undefined) throw error;\n",
    ],
  ]),
  ...lines("trust", "src/store/store.ts", "test/cli/newer-versions.test.ts", [
    [
      "an extension that is not known is refused",
      "  if (unknown !== undefined) throw newerStore(root, unknown);\n",
      '  if (unknown === "") throw newerStore(root, unknown);\n',
    ],
  ]),
  ...lines("trust", "src/store/reach.ts", "test/cli/newer-versions.test.ts", [
    [
      "what a pack of a newer ctx may need stays",
      "    for (const object of hashesIn(readObject(store.root, hex))) kept.add(object);\n  }\n  return kept;",
      "  }\n  return kept;",
    ],
  ]),
  ...lines("link", "src/store/git-exclude.ts", "test/cli/stores-in-git.test.ts", [
    [
      "git's info/exclude is not written through a link",
      "  const line = storedLine(git, root);\n  const before = linesOf(git);\n  if (",
      "  git = { ...git, exclude: fs.realpathSync(git.exclude) };\n  const line = storedLine(git, root);\n  const before = linesOf(git);\n  if (",
    ],
  ]),
  ...lines("trust", "src/store/layout.ts", "test/cli/stores-in-git.test.ts", [
    [
      "git changes no byte of a committed store",
      '"* -text !eol -ident -filter !working-tree-encoding -diff -merge -export-subst"',
      '"* -text"',
    ],
  ]),
  // Locks, clocks and the library.
  ...lines("lock", "src/store/remove.ts", "test/system/lock-takeover.test.ts", [
    [
      "who lost its lock removes nothing",
      "      fs.renameSync(path, removed);\n",
      "      fs.unlinkSync(path);\n",
    ],
  ]),
  ...lines("lock", "src/store/lock-age.ts", "test/cli/doctor.test.ts", [
    ["a lock from the future counts as dead", "Math.abs(age) < limit", "age < limit"],
  ]),
  ...lines("lock", "src/base/fs/folder-clock.ts", "test/system/lock-takeover.test.ts", [
    [
      "ages are measured by the file system's clock",
      "time: timeOfNewFile(join(this.#folder, this.#name(ownId()))) ?? Date.now()",
      'time: (this.#folder === "" ? timeOfNewFile(join(this.#folder, this.#name(ownId()))) : undefined) ?? Date.now()',
    ],
  ]),
  ...lines("lock", "src/store/lock.ts", "test/system/lock-takeover.test.ts", [
    [
      "who waits says for whom",
      "    if (rival === undefined || waited < this.#reportAt) return;\n",
      "    if (rival === undefined || waited < this.#reportAt * 1000) return;\n",
    ],
  ]),
  ...lines("lock", "src/store/packed-logs.ts", "test/unit/store/packed-logs.test.ts", [
    ["a note of packed logs goes back to no older one", "...this.#changed]", "...this.#logs]"],
  ]),
  ...lines("link", "src/intake/discover/find-logs.ts", "test/cli/discover-hostile.test.ts", [
    [
      "a session that was replaced by a link is not packed",
      "return below(root, relative(root, path), (file) => openRegular(file).descriptor);",
      'return relative(root, path) === below.name ? openRegular(path).descriptor : fs.openSync(path, "r");',
    ],
  ]),
  ...lines("trust", "src/library/guard.ts", "test/unit/library.test.ts", [
    [
      "a store that is gone is an error",
      "  if (store instanceof Store) store.assertExists();\n",
      "  if (store === undefined) return;\n",
    ],
    [
      "the library throws only CtxError",
      "    const problem = value === undefined && isOptional === true ? undefined : check(value);\n",
      "    const problem = value === undefined && isOptional === true ? check(value) : undefined;\n",
    ],
  ]),
  // Secrets.
  ...lines("hash", "src/store/batch.ts", "test/cli/redact-settings.test.ts", [
    ["a manifest is read back before it is published", "    checkReadable(manifest, bytes.hashed);\n", ""],
  ]),
  ...lines("hash", "src/store/batch.ts", "test/unit/ops/pack-many.test.ts", [
    [
      "a log that fails leaves no pack",
      "    for (const [hex, from] of staged) {\n",
      "    for (const [hex, { path: from }] of this.#packs) {\n",
    ],
    [
      "a log without times is one pack, also in one command",
      "findTwin(this.#root, manifest, this.#packs.values())",
      "findTwin(this.#root, manifest, [])",
    ],
  ]),
  ...lines("hash", "src/store/batch.ts", "test/unit/store/batch.test.ts", [
    [
      "a pack is committed only with all its blobs",
      "    if (fresh.length + found.length < wanted.size)\n",
      "    if (fresh.length + found.length < 0)\n",
    ],
  ]),
  ...lines("hash", "src/seal/agent-log.ts", "test/unit/ops/pack-many.test.ts", [
    [
      "a session of sub-agents alone is sealed",
      "(isSubEmpty && runs.every(isEmpty))",
      "(isSubEmpty !== undefined && runs.every(isEmpty))",
    ],
  ]),
  ...lines("lock", "src/ops/pack.ts", "test/unit/ops/pack-many.test.ts", [
    [
      "logs do not wait for a slow pipe",
      "if (isStream(input)) group.commit();",
      'if ("pieces" in input && isStream(input)) group.commit();',
    ],
  ]),
  ...lines("escape", "src/seal/own-log.ts", "test/cli/redact-printed.test.ts", [
    [
      "an output is judged with its own command",
      "const sink = redactor.from(origin);",
      "const sink = redactor;",
    ],
  ]),
  ...lines("escape", "src/intake/run-builder.ts", "test/cli/redact-printed.test.ts", [
    [
      "the same in a log of an agent",
      'typeof content === "string" ? Buffer.from(content) : content, origin)',
      'typeof content === "string" ? Buffer.from(content) : content)',
    ],
  ]),
  ...lines("escape", "src/redact/encoding.ts", "test/cli/redact-printed.test.ts", [
    [
      "UTF-16 is read as such",
      "  const [first, second] = bytes;\n",
      "  const [first, second] = bytes;\n  if (first !== undefined) return undefined;\n",
    ],
  ]),
  ...lines("size", "src/store/config.ts", "test/cli/redact-settings.test.ts", [
    ["how many rules of one's own are used", "const maxRules = 1000;", "const maxRules = Infinity;"],
  ]),
  ...lines("trust", "src/ops/seal-session.ts", "test/cli/redact-settings.test.ts", [
    [
      "a bad config does not keep a session from being sealed",
      "packAll(into, { file: path }, { redaction, sidecars: false })",
      "packAll(into, { file: path }, { redact, user, sidecars: false })",
    ],
  ]),
  ...lines("escape", "src/redact/mask-manifest.ts", "test/cli/redact-settings.test.ts", [
    [
      "fields of the format are not masked",
      `  manifest.model = {
    ...model,
    identifier: masked("model", model.identifier),
    parameters: masked("model", model.parameters),
  };
`,
      `  manifest.model = masked("model", model as JsonObject) as Manifest["model"];
`,
    ],
  ]),
  // The wire: exit statuses, registries, code caches, what leaves.
  ...lines("trust", "src/cli/programs/create.ts", "test/system/streams.test.ts", [
    [
      "a command that ends without an answer says so",
      "    if (!hasReturned) fail(",
      "    if (argv.length < 0) fail(",
    ],
    ["an uncaught exception is one line", `  process.on("uncaughtException", crash);\n`, ""],
  ]),
  ...lines("trust", "src/cli/terminal.ts", "test/system/streams.test.ts", [
    [
      "what cannot be said on standard error stops nothing",
      "      else writeIfPossible(bytes);",
      "      else writeAll(2, bytes);",
    ],
  ]),
  ...lines("trust", "src/registry/http.ts", "test/unit/registry/http.test.ts", [
    [
      "an answer of 101 is an error",
      "        if (response.statusCode === 101) {",
      "        if (response.statusCode === 999) {",
    ],
    ["another protocol is an error", "        reject(switched());\n", ""],
    ["interim answers come to an end", "if (++interim > maxInterim)", "if (++interim < 0)"],
  ]),
  ...lines("name", "src/ops/pull.ts", "test/system/registry-push-pull.test.ts", [
    [
      "the first digits of a hash never name another pack",
      "if (tagged !== undefined && !tagged.startsWith(prefix)) throw falseTag",
      "if (tagged === prefix) throw falseTag",
    ],
  ]),
  ...lines("name", "src/ops/push.ts", "test/system/registry-push-pull.test.ts", [
    [
      "no tag that reads as a hash is pushed",
      "if (tag !== undefined && isHashLike(tag))",
      "if (tag === target.address.host)",
    ],
  ]),
  ...lines("trust", "src/registry/credentials.ts", "test/system/registry-auth.test.ts", [
    [
      "a password goes to the host that it is for",
      "if (named !== undefined && named.host === host) return",
      "if (named !== undefined) return",
    ],
  ]),
  ...lines("trust", "scripts/launcher.cjs", "test/system/code-cache.test.ts", [
    ["a code cache that lost a block is not run", " || sum !== cache.sumOf(data)", ""],
    ["a code cache is of the program as it is", "[size, mtimeMs, ctimeMs, env", "[env"],
  ]),
  ...lines("trust", "scripts/code-cache.cjs", "test/system/code-cache.test.ts", [
    ["no code cache in another user's home", "    if (above.uid !== user) return false;\n", ""],
  ]),
  ...lines("trust", "src/ops/export.ts", "test/cli/leaving.test.ts", [
    ["an exported file is its owner's alone", "mode: 0o600", "mode: 0o644"],
  ]),
  ...lines("escape", "src/render/markdown.ts", "test/unit/render/markdown.test.ts", [
    ["an address is no link in Markdown", "    .split(linkParts)", "    .split(/(?!)/)"],
  ]),
  // any number of things
  ...lines("size", ".oxlintrc.json", "test/system/lint.test.ts", [
    ["no call has as many arguments as a list has items", '"ctx/no-spread-call": "error",', ""],
  ]),
  ...lines("size", "src/verify/pack.ts", "test/system/many.test.ts", [
    [
      "any number of blobs may be missing",
      "appendAll(checked.faults, this.#blobFaults(checked.pack));",
      "checked.faults.push(...this.#blobFaults(checked.pack));",
    ],
  ]),
  ...lines("size", "src/render/error.ts", "test/system/many.test.ts", [
    ["an error lists so many problems", "const maxProblems = 200;", "const maxProblems = 2 ** 30;"],
    ["…and so many in JSON", "const maxJsonProblems = 1000;", "const maxJsonProblems = 2 ** 30;"],
  ]),
  ...lines("size", "src/redact/scan-targets.ts", "test/system/many.test.ts", [
    [
      "any number of secrets may be found",
      "appendAll(answer.finds, this.#lines(pieces, content));",
      "void answer.finds.push(...this.#lines(pieces, content));",
    ],
  ]),
  ...lines("size", "src/cli/output.ts", "test/system/many.test.ts", [
    ["so many notes are about one matter", "const maxNotices = 20;", "const maxNotices = 2 ** 30;"],
  ]),
  ...lines("size", "src/render/tags.ts", "test/system/many.test.ts", [
    ["so many tags stand in a line", "const maxTags = 10;", "const maxTags = 2 ** 30;"],
  ]),
  ...lines("size", "src/drafts/draft.ts", "test/unit/drafts/draft-names.test.ts", [
    ["counting goes on where it was for equal names", "let count = counts.get(stem) ?? 2;", "let count = 2;"],
  ]),
  ...lines("name", "src/store/write-tags.ts", "test/cli/tag.test.ts", [
    ["a new tag fits every file system", "    if (isNew) checkNewTag(root, tag);\n", ""],
  ]),
  ...lines("size", "src/replay/seccomp.ts", "test/unit/replay/seccomp.test.ts", [
    ["a step uses up no inotify instances", "  [294, 26],\n", ""],
  ]),
  // Second round: trust and bounds.
  ...lines("size", "src/model/times.ts", "test/unit/model/times.test.ts", [
    [
      "zeros at the end of a fraction take linear time",
      "  const cut = withoutTrailingZeros(text);",
      '  const cut = text.replace(/0+$/, "");',
    ],
    [
      "a fraction of a second has so many digits",
      "if (fraction.length > maxFractionDigits)",
      "if (fraction.length > 2 ** 30)",
    ],
  ]),
  ...lines("size", "src/replay/rules/varying.ts", "test/unit/replay/rules/varying.test.ts", [
    [
      "space at the end of an output takes linear time",
      "(text) => text.trimEnd()",
      '(text) => text.replace(/\\s+$/, "")',
    ],
  ]),
  ...lines("trust", "src/store/trust.ts", "test/cli/trust.test.ts", [
    ["a file that a trusted command names stays as it is", "return changed === undefined ?", "return true ?"],
  ]),
  ...lines("trust", "src/store/config.ts", "test/cli/trust.test.ts", [
    [
      "a word that named no file when it was trusted names none later",
      "const { adapters, mcp, normalise = [] } = trusted.replay;",
      "const { adapters, mcp, normalise = [] } = resolvePrograms(shared, resolve(store.root));",
    ],
  ]),
  ...lines("trust", "src/store/trusted-files.ts", "test/cli/trust.test.ts", [
    [
      "what a trusted script imports stays as it is",
      "if (stat.isDirectory()) this.#walk(path);",
      "if (stat.isDirectory()) continue;",
    ],
    ["a trusted folder has so many files", "const maxFiles = 1000;", "const maxFiles = 2 ** 30;"],
    ["a trusted folder has so many bytes", "const maxBytes = 1 << 24;", "const maxBytes = 2 ** 30;"],
  ]),
  ...lines("trust", "src/replay/sandbox-args.ts", "test/system/sandbox.test.ts", [
    [
      "no file of a pack takes the place of a toolchain",
      "toolchains: visibleToolchains(box, program, options)",
      "toolchains: options.toolchains ?? []",
    ],
  ]),
  ...lines("size", "src/replay/memory-watch.ts", "test/system/sandbox.test.ts", [
    ["the kernel's memory counts", " + info.kernel - this.#kernel;", ";"],
  ]),
  // Second round: files of stores.
  ...lines("trust", "src/store/layout.ts", "test/cli/stores-in-git.test.ts", [
    [
      "a private store's own .gitignore covers all of it",
      "shared ? ignoredByGit : [ignoreAll]",
      "shared ? ignoredByGit : ignoredByGit",
    ],
  ]),
  ...lines("link", "src/base/fs/walk.ts", "test/unit/base/fs/walk.test.ts", [
    [
      "a folder that is swapped for a link is not entered",
      "anchored(descriptor, name, join(path, name))",
      "join(path, name)",
    ],
    ["a mode is changed on an opened file", "fs.fchmodSync(descriptor, next)", "fs.chmodSync(path, next)"],
    ["the mode of a file with a second name stays", " || (stat.isFile() && stat.nlink > 1)", ""],
  ]),
  ...lines("trust", "src/doctor/fix-store.ts", "test/cli/other-owners.test.ts", [
    ["another user's store is not put right", "  if (store.foreign) throw foreignStore(store);\n", ""],
  ]),
  ...lines("link", "src/store/store.ts", "test/unit/store/store.test.ts", [
    ["the folder of tags is no link", `"refs", "refs/tags",`, `"refs",`],
  ]),
  ...lines("link", "src/store/remove.ts", "test/cli/tag.test.ts", [
    [
      "no tag is removed through a link",
      "below(root, relative(root, path), (file) => fs.unlinkSync(file));",
      "fs.unlinkSync(path);",
    ],
  ]),
  ...lines("trust", "src/store/batch-lock.ts", "test/cli/other-owners.test.ts", [
    ["root writes in no other user's private store", "    refuseOthersPrivate(root);\n", ""],
  ]),
  // Second round: sub-agents, names, hooks.
  ...lines("trust", "src/store/own-ignore.ts", "test/unit/store/own-ignore.test.ts", [
    [
      "a .gitignore is read as git reads it",
      ".map(asGitReads)",
      '.map((line) => (line === "" ? asGitReads(line) : line.trim()))',
    ],
  ]),
  ...lines("trust", "src/store/in-git.ts", "test/cli/session-stores.test.ts", [
    [
      "a private store in git gets no session",
      'listed.stdout !== "") return "tracked"',
      'listed.stdout === "-") return "tracked"',
    ],
    ["git is called at the top of the repository", "folder: git.top }", "folder: store.folder }"],
  ]),
  ...lines("trust", "src/store/vanished.ts", "test/cli/vanished-stores.test.ts", [
    ["a path in a note may contain line feeds", "/\\n(.+)\\n/s", "/\\n(.+)\\n/"],
  ]),
  ...lines("lock", "src/base/fs/leftovers.ts", "test/unit/base/fs/atomic.test.ts", [
    ["leftovers age by the file system's clock", "clock.now() - stat", "Date.now() - stat"],
  ]),
  ...lines("trust", "src/store/accepted.ts", "test/cli/session-stores.test.ts", [
    [
      "git is called about a private store",
      "? undefined : gitRefusal(store, folders.env)",
      "? undefined : undefined",
    ],
    ["another user's store gets no session", "  if (store.foreign) return foreignRefusal(store);\n", ""],
    [
      "a store from a clone gets no session",
      "if (receivesAll(store, folders)) return undefined;",
      "if (receivesAll(store, folders) || store.root !== folders.home) return undefined;",
    ],
    [
      "a store at an accepted one's place is another",
      "\\0${ino}\\0${birthtimeNs}`",
      "\\0${birthtimeNs > 0n}`",
    ],
  ]),
  ...lines("trust", "src/hooks/session-store.ts", "test/cli/session-stores.test.ts", [
    ["hooks ask whether a store takes sessions", "  if (refusal !== undefined) throw refusal;\n", ""],
  ]),
  ...lines("trust", "src/ops/pack-discovered.ts", "test/cli/session-stores.test.ts", [
    ["pack --discover asks, too", "  if (refusal !== undefined) throw refusal;\n", ""],
  ]),
  ...lines("hash", "src/verify/pack.ts", "test/cli/sub-agents.test.ts", [
    [
      "a sub-agent's run is checked",
      "claims: [pack, lineage, ...subAgents.claims],",
      "claims: [pack, lineage],",
    ],
    ["…and what it called itself", "          waiting.push(run);\n", ""],
  ]),
  ...lines("hash", "src/verify/store.ts", "test/cli/sub-agents.test.ts", [
    ["an audit names sub-agents' runs that are gone", "result.subAgents.absent.add(hexOf(named))", "void 0"],
  ]),
  ...lines("hash", "src/ops/rm.ts", "test/cli/sub-agents.test.ts", [
    ["a sub-agent's run is in use", "refuse(children, callers, tags)", "refuse(children, [], tags)"],
  ]),
  // Second round: secrets, scan and hooks.
  ...lines("trust", "src/redact/redactor.ts", "test/cli/redact-encodings.test.ts", [
    [
      "what claims to be UTF-16 is read a second time",
      "if (!isWide(encoding)) return first;",
      "return first;",
    ],
  ]),
  ...lines("trust", "src/redact/scanner.ts", "test/cli/redact-encodings.test.ts", [
    [
      "text is read without the zeros in it",
      "if (narrow === undefined) return found;",
      "if (narrow !== null) return found;",
    ],
  ]),
  ...lines("trust", "src/redact/content-scan.ts", "test/cli/redact-encodings.test.ts", [
    ["UTF-16 that is no text is counted", "scan.isStrange = true;", "scan.isStrange = false;"],
  ]),
  ...lines("trust", "src/redact/members.ts", "test/unit/redact/redactor.test.ts", [
    ["no member is lost where masked keys are equal", "while (Object.hasOwn(", "if (Object.hasOwn("],
  ]),
  // Second round: verdicts.
  ...lines("trust", "src/replay/seal.ts", "test/cli/replay-seal.test.ts", [
    ["--seal takes only what an executed step made", " && !isUntouched", ""],
    ["a draft's messages are no model's words", ` || report.origin?.kind === "draft"`, ""],
    ["what was not executed is not sealed", "report.steps.every(({ executed }) => !executed)", "false"],
  ]),
  ...lines("trust", "src/verify/origin.ts", "test/cli/replay-seal.test.ts", [
    [
      "what a replay only copied proves nothing",
      `origin?.kind === "replay" && outputMaker(origin, manifest, output) === undefined`,
      "false",
    ],
  ]),
  ...lines("trust", "src/replay/recorded-end.ts", "test/cli/replay-words.test.ts", [
    [
      "a success that fails now is no match",
      "if (exitCode === 0 || hasFailed(step)) return undefined;",
      "if (exitCode !== undefined) return undefined;",
    ],
  ]),
  ...lines("trust", "src/replay/recorded-status.ts", "test/cli/replay-words.test.ts", [
    ["an exit status as a text is one", "/^\\d{1,9}$/.test(code.trim())", "code === null"],
  ]),
  ...lines("trust", "src/verify/replay.ts", "test/cli/replay-words.test.ts", [
    ["a step that may diverge is no proof", "if (allowed > 0)", "if (allowed < 0)"],
  ]),
  ...lines("trust", "src/render/replay-junit.ts", "test/cli/replay-words.test.ts", [
    [
      "JUnit skips what may diverge",
      `            skipped: "diverged, which the log allows: the step is not deterministic",\n`,
      "",
    ],
  ]),
  ...lines("trust", "src/replay/program-outcome.ts", "test/cli/replay-words.test.ts", [
    ["a program that never ran did not fail", "untried: true", "untried: false"],
    [
      "a program that is not there did not fail",
      `return failed("no_program", \`there`,
      `return failed("error", \`there`,
    ],
  ]),
  ...lines("hash", "src/ops/write-sidecar.ts", "test/cli/output-names.test.ts", [
    ["no sidecar for a damaged pack", "if (fault !== undefined)", "if (fault === null)"],
  ]),
  ...lines("name", "src/verify/content-claim.ts", "test/cli/output-names.test.ts", [
    [
      "an output's name is not another output's bytes",
      "  if (manifest.outputs.some((output) => isOwnName(manifest, output, file))) return undefined;\n",
      "",
    ],
    [
      "a pack with the file's name answers first",
      "else if (isOwnName(manifest, output, file)) return hex;",
      "else if (isOwnName(manifest, output, file)) other ??= hex;",
    ],
  ]),
  ...lines("size", "src/replay/fill-workspace.ts", "test/unit/replay/copy-folder.test.ts", [
    ["a workspace that there is no room for is not copied", "  if (size > room)", "  if (size > 2 ** 60)"],
  ]),
  ...lines("trust", "src/redact/scan-targets.ts", "test/cli/redact-polls.test.ts", [
    ["scan reads a log as pack does", "addLogFinds(answer, inLog({ file }));", ""],
  ]),
  ...lines("trust", "src/redact/step-printings.ts", "test/cli/redact-polls.test.ts", [
    ["what a step polls is judged by the command", "own === undefined && isPoll(origin) ?", "own === null ?"],
    [
      "…and not by another one",
      "if (known !== undefined) return known.printing;",
      "if (known === null) return undefined;",
    ],
  ]),
  ...lines("trust", "src/hooks/session-store.ts", "test/cli/hook-stores.test.ts", [
    ["a hook seals at home where a store cannot be written", "    seal(other);\n", ""],
    ["a hook names a file in the place of a store", "noteNoFolder(folder, run);", "void 0;"],
  ]),
  ...lines("trust", "src/ops/seal-session.ts", "test/cli/hook-stores.test.ts", [
    ["a hook says what untrusted rules masked", "    noteUntrusted(run, results);\n    if", "    if"],
  ]),
  ...lines("trust", "src/store/git-exclude.ts", "test/cli/stores-in-git.test.ts", [
    [
      "other lines of info/exclude keep their bytes",
      `(readIfThere(path)?.toString("latin1") ?? "")`,
      `(readIfThere(path)?.toString("ascii") ?? "")`,
    ],
  ]),
  ...lines("trust", "src/base/fs/owner-mode.ts", "test/system/private-stores.test.ts", [
    [
      "a folder of a private store is its owner's",
      "  if (wanted !== undefined) fs.chmodSync(path, wanted);\n",
      "",
    ],
  ]),
  ...lines("trust", "scripts/code-cache.cjs", "test/system/code-cache.test.ts", [
    ["no code cache behind another user's link", "fs.lstatSync(parent).uid !== user || ", ""],
  ]),
  ...lines("trust", "src/redact/encoded.ts", "test/unit/redact/redactor.test.ts", [
    ["long base64 is decoded to its end", "at === 0 || at + overlap < run.length", "at === 0"],
    ["base64 goes on behind an escaped line end", "if (codes[at + 1] === letterN) return 2;", ""],
    ["base64 may begin with a byte order mark", "if (beginsUtf8(code)) return", "if (code < 0) return"],
  ]),
  // Second round: printed secrets.
  ...lines("escape", "src/redact/redactor.ts", "test/cli/redact-printed.test.ts", [
    [
      "a printed name is not masked in the rest of the run",
      "const isSpread = !isWeak && ",
      "const isSpread = ",
    ],
  ]),
  ...lines("escape", "src/redact/printed-views.ts", "test/unit/redact/printing.test.ts", [
    [
      "secrets are found in results that are JSON",
      "if (text.length > maxDocumentLength) return undefined;",
      "if (text.length > 0) return undefined;",
    ],
    [
      "secrets are found between sequences of a terminal",
      "if (!/[\\u001b\\u009b\\u009d\\ufeff]/.test(text)) return",
      "if (text !== undefined) return",
    ],
  ]),
  ...lines("escape", "src/redact/printed-judge.ts", "test/unit/redact/printing.test.ts", [
    [
      "names beside secrets are no secrets",
      "if (codes.length === 0) return true;",
      "if (codes.length === 0) return false;",
    ],
  ]),
  ...lines("escape", "src/tools/shell-line.ts", "test/unit/redact/printing.test.ts", [
    [
      "a here-document is a script for a shell",
      "      stage.document = this.#line.slice(this.#at, to);\n",
      "",
    ],
    [
      "a line that goes on is one line",
      'if (rest === "\\\\\\n") this.#at += 2;',
      'if (rest === "\\\\\\n") this.#take("", 2);',
    ],
  ]),
  ...lines("escape", "src/redact/printing-line.ts", "test/unit/redact/printing.test.ts", [
    [
      "a long command is looked at to its end",
      "const maxExaminedLength = 1 << 20;",
      "const maxExaminedLength = 1 << 14;",
    ],
    [
      "what a command wrote to a file is a secret where it is read",
      'if (target !== undefined && target !== "/dev/null" && printed !== undefined) state.files.add(target);',
      "",
    ],
  ]),
  ...lines("escape", "src/redact/printing.ts", "test/unit/redact/printing.test.ts", [
    ["files are asked for by any tool", "this.#paths.slice(0, maxPaths)", "this.#paths.slice(0, 0)"],
    ["commands may be JSON in a text", "if (text.length > maxJsonLength ||", "if (text.length > 0 ||"],
  ]),
  ...lines("escape", "src/redact/secret-files.ts", "test/unit/redact/printing.test.ts", [
    ["the glance at a name misses no secret", "pass secret token key cred", "pass secret token cred"],
  ]),
  ...lines("escape", "src/redact/printing.ts", "test/unit/redact/printing.test.ts", [
    [
      "a search of a secret file prints it",
      'if (tool !== undefined && searchTool.test(tool.replaceAll(/[^A-Za-z]/g, ""))) return ofSearch(parameters);',
      "",
    ],
    ["a script of Codex runs commands", "if (!scriptCall.test(code)) return found;", "return found;"],
  ]),
  ...lines("escape", "src/redact/printing-judges.ts", "test/unit/redact/printing.test.ts", [
    [
      "names that tell in NAME=value tell in echo $NAME",
      'return isTellingName(name) ? "maybe" : undefined;',
      "return undefined;",
    ],
  ]),
  ...lines("escape", "src/redact/printing-line.ts", "test/unit/redact/printing.test.ts", [
    [
      "values cut out of .env may be secrets",
      "if (isTaken && words.some((word, at) => at !== pattern && isSettingsFile(word))) return",
      "if (isTaken && words.length < 0) return",
    ],
  ]),
  ...lines("escape", "src/redact/redactor.ts", "test/cli/redact-sub-agents.test.ts", [
    [
      "a sub-agent's secret is masked in what its parent stored before",
      "return this.#plain.size + this.#others.list.length;",
      "return this.#plain.size;",
    ],
  ]),
  ...lines("escape", "src/seal/agent-log.ts", "test/cli/redact-sub-agents.test.ts", [
    ["the runs of a log share their secrets", "redacting({ shared })", "redacting()"],
  ]),
  // The parser of shell command lines, and normalisers.
  ...lines("trust", "src/tools/shell-line.ts", "test/unit/tools/shell-line.test.ts", [
    ["a quote that does not end is noticed", "if (end === -1) this.isComplete = false;", ""],
    [
      "a backslash escapes a quote in $'…'",
      `if (rest === "$'") this.#escapedQuote();`,
      `if (rest === "") return;`,
    ],
    ["the last redirection counts", "isShown(word.text) ? undefined : word.text", "word.text"],
  ]),
  ...lines("trust", "src/tools/shell-stage.ts", "test/unit/tools/shell-line.test.ts", [
    [
      "a program is recognised behind assignments",
      "(?:export\\s+)?([A-Za-z_]\\w*)\\+?=",
      "(?:export\\s+)([A-Za-z_]\\w*)=",
    ],
    ["a program is recognised behind wrappers", "uvx timeout xargs", "uvx xargs"],
  ]),
  ...lines("trust", "src/replay/file-printer.ts", "test/unit/replay/file-printer.test.ts", [
    ["a file in a substitution is not normalised", "if (linesOf(stage).some(", "if (linesOf(stage).every("],
    [
      "redirected input is not normalised",
      `if (input !== undefined && input !== "/dev/null") return true;`,
      "",
    ],
    ["a program that a variable names is not normalised", "stage.isProgramExpanded || ", ""],
    [
      "what another program runs is not normalised",
      "printers.has(program) || mayRunPrinter(stage)",
      "printers.has(program)",
    ],
    ["code that reads files is not normalised", "return hasReadingCode(words);", "return false;"],
    ["a line that is not understood is not normalised", "if (!isComplete) return true;", ""],
  ]),
  ...lines("trust", "src/replay/pipe-filters.ts", "test/unit/replay/file-printer.test.ts", [
    ["a filter with a file is not normalised", "return operands <= filter.operands;", "return true;"],
    [
      "a filter with options that read files is not normalised",
      "if (!filter.flags.test(word)) return false;",
      "",
    ],
  ]),
  // Hooks, home paths, tags, verdicts of several targets.
  ...lines("trust", "src/ops/seal-session.ts", "test/cli/hook-stores.test.ts", [
    [
      "git's hook seals elsewhere what a store does not take",
      "if (isUnwritable(error)) unwritten.set(log.path, error);",
      "if (error === undefined) unwritten.set(log, error);",
    ],
  ]),
  ...lines("escape", "src/bundle/home-paths.ts", "test/cli/leaving.test.ts", [
    ["home folders are found in URLs", "|%(?:25)*(?:2[Ff]|5[Cc]))`", ")`"],
  ]),
  ...lines("trust", "src/ops/push.ts", "test/system/registry-faults.test.ts", [
    [
      "a push asks what the tag names",
      "    await confirmTag(this.#registry, tag, toReference(artifact.digest));\n",
      "",
    ],
  ]),
  ...lines("trust", "src/cli/commands/verify.ts", "test/cli/bundles.test.ts", [
    ["every target gets an answer", "if (isOurs && bundles.length > 1)", "if (isOurs && bundles.length < 0)"],
  ]),
  ...lines("trust", "src/render/verify.ts", "test/cli/replay-exact.test.ts", [
    [
      "the first line says what the replay answered",
      `no: "verified by hash; the replay did not reproduce it"`,
      `no: "verified"`,
    ],
  ]),
  ...lines("escape", "src/redact/encoded.ts", "test/unit/redact/redactor.test.ts", [
    ["base64 may be a part of a path", `let slash = run.indexOf("/");`, "let slash = -1;"],
    ["base64 of text may stand behind other bytes", `(decoded.match(stretches) ?? []).join("\\n")`, `""`],
  ]),
  ...lines("trust", "src/verify/replay.ts", "test/cli/replay-words.test.ts", [
    ["a match after normalising is no proof", "if (normalised > 0)", "if (forgiven < 0)"],
  ]),
  // The third attack: trusted programs, drafts that were replayed, swapped outputs, forged origins.
  ...lines("escape", "src/store/trusted-files.ts", "test/cli/trust.test.ts", [
    [
      "trust covers the folder of a path that is not there",
      "      this.#addFolder(nearestFolder(path), `${path}, which does not exist,`);\n",
      "",
    ],
    [
      "trust covers files that are preferred to a folder",
      "    if (isFolder) this.#addCompletions(path);\n",
      "",
    ],
    [
      "trust follows links to the folder of a path that is not there",
      "realPath(path) ?? realPath(nearestFolder(path))",
      "realPath(path)",
    ],
  ]),
  ...lines("escape", "src/replay/program-executors.ts", "test/cli/replay-own-programs.test.ts", [
    ["a store's programs see only what was hashed", "bounds: bounds.get(config)", "bounds: undefined"],
  ]),
  ...lines("trust", "src/verify/origin.ts", "test/cli/replayed-drafts.test.ts", [
    ["the replay of a draft proves nothing", '  if (of_draft === true) return "of-draft";\n', ""],
    [
      "replays of drafts that earlier versions sealed are recognised",
      'return before?.kind === "draft";',
      "return false;",
    ],
    [
      "an exact replay has the outputs of what was replayed",
      'isEqual ? undefined : "other-outputs"',
      "isEqual ? undefined : undefined",
    ],
  ]),
  ...lines("trust", "src/replay/seal.ts", "test/cli/replayed-drafts.test.ts", [
    ["a replay records that it replays a draft", "isOfDraft(report) ? { of_draft: true } : {}", "{}"],
  ]),
  ...lines("trust", "src/model/origin.ts", "test/cli/replayed-drafts.test.ts", [
    [
      "only a tool call of the pack can have made an output",
      ' && steps[maker]?.type === "tool_call" ?',
      " && steps.length >= 0 ?",
    ],
  ]),
  ...lines("trust", "src/verify/content-claim.ts", "test/cli/swapped-outputs.test.ts", [
    [
      "an output's bytes under the name of another output prove nothing",
      "  if (other !== undefined) return `the bytes of ${subject}, whose output ${other.name} has other bytes`;\n",
      "  void other;\n",
    ],
  ]),
  ...lines("trust", "src/verify/file-name.ts", "test/cli/swapped-outputs.test.ts", [
    [
      "names are compared in the folder of the run",
      "const workdir = workdirOf(manifest);",
      "const workdir = workdirOf({});",
    ],
  ]),
  ...lines("trust", "src/tools/edited-paths.ts", "test/cli/origin.test.ts", [
    [
      "times are compared as moments",
      "compareTimes(first, second) === 0;",
      "compareTimes(first, second) === 1e9;",
    ],
  ]),
  ...lines("trust", "src/seal/log-or-draft.ts", "test/cli/origin.test.ts", [
    [
      "a draft without its README.md is a draft",
      "logName && hasDraftForm(log)",
      "logName && hasDraftForm(log) && log.parent === undefined",
    ],
  ]),
  // Third round: verdicts of replay.
  ...lines("trust", "src/replay/judge-outcome.ts", "test/cli/replay-words.test.ts", [
    [
      "the end of a call counts without a recorded output",
      'contradiction === undefined\n        ? { status: "recorded"',
      'contradiction !== ""\n        ? { status: "recorded"',
    ],
  ]),
  ...lines("trust", "src/replay/recorded-end.ts", "test/cli/replay-words.test.ts", [
    [
      "a call that failed then and succeeds now is not matched",
      "if (hasFailed(step) && (exitCode ?? 0) === 0)",
      "if (step.index === -1)",
    ],
    ["a search excuses no other command of its line", "if (isLine && !isOnePipe(line)) return false;", ""],
    ["a quiet search excuses nothing", "!words.some((word) => isQuiet.test(word))", "words.length >= 0"],
    ["a search is excused only by its recorded text", "    step.output_ref !== undefined &&\n", ""],
  ]),
  ...lines("trust", "src/replay/recorded-end.ts", "test/unit/replay/recorded-end.test.ts", [
    [
      "an MCP call that fails now is no match",
      'if (execution.how === "mcp") return',
      'if (execution.how === "none") return',
    ],
  ]),
  ...lines("trust", "src/replay/plan.ts", "test/unit/replay/recorded-end.test.ts", [
    ["an unknown agent is none", "readAgents.has(value)", 'typeof value === "string"'],
  ]),
  ...lines("trust", "src/replay/output-watch.ts", "test/cli/replay-exact.test.ts", [
    [
      "an output that is no file was made",
      "? identifyUnreadable(place.root, place.path, (descriptor, { size }) => hashOf(descriptor, size))",
      "? undefined",
    ],
  ]),
  ...lines("trust", "src/replay/unreadable.ts", "test/unit/replay/output-watch.test.ts", [
    [
      "closed files are opened to be compared",
      "if ((mode & needed) === needed) return true;",
      "if (mode >= 0) return true;",
    ],
    [
      "the next step finds the modes that the last one left",
      "usingDescriptor(descriptor, () => fs.chmodSync(`/proc/self/fd/${descriptor}`, mode & 0o7777));",
      "usingDescriptor(descriptor, () => mode);",
    ],
    ["no mode changes through a link", 'if (stat.isSymbolicLink()) return identity("link", stat);', ""],
  ]),
  ...lines("trust", "src/results/replay.ts", "test/cli/replay-exact.test.ts", [
    [
      "a set of lines, or the results of tests, is no proof",
      'if (compared === "lines" || compared === "results") return expected_hash !== actual_hash;',
      "",
    ],
  ]),
  ...lines("trust", "src/verify/replay.ts", "test/cli/replay-exact.test.ts", [
    ["a call that was not checked is no proof", "if (first !== undefined)", "if (first === null)"],
    ["a denied call has no result", "if (hasResult(step))", "if (step === null)"],
    ["a call is one under any type", " || tool !== undefined;", ";"],
  ]),
  ...lines("size", "src/replay/seccomp.ts", "test/unit/replay/seccomp.test.ts", [
    [
      "a step reserves no disk",
      "    ...when(jumpIfEqual, fallocate[machine.column], [answer(notSupported)]),\n",
      "",
    ],
    ["a step reserves no disk by ioctl", "      ...anyOf(reservations, answer(notSupported)),\n", ""],
  ]),
  // Stores, git and sessions (third attack).
  ...lines("trust", "src/store/accepted.ts", "test/cli/session-stores.test.ts", [
    [
      "a private store of a clone takes no sessions",
      'acceptedAs(store, folders.state) === "private" ? undefined : ',
      "acceptedAs(store, folders.state) !== null ? undefined : ",
    ],
  ]),
  ...lines("trust", "src/store/batch-lock.ts", "test/unit/store/after-wait.test.ts", [
    [
      "config.json is read again under the lock",
      "      store.assertExists();\n      withPath",
      "      withPath",
    ],
  ]),
  ...lines("trust", "src/ops/gc.ts", "test/cli/newer-versions.test.ts", [
    [
      "gc removes nothing beside packs written by a newer ctx",
      "newer > 0 ? [] : objectsOf(store)",
      "objectsOf(store)",
    ],
  ]),
  // What commands print.
  ...lines("trust", "src/redact/printing-line.ts", "test/unit/redact/printed-anything.test.ts", [
    [
      "a line that only names a secret is searched",
      'return isMentioned ? { prints: "fields", isAlone: false } : own;',
      "return own;",
    ],
  ]),
  ...lines("trust", "src/redact/printed.ts", "test/unit/redact/printed-anything.test.ts", [
    ["a lone value may have any character", "soleIn(line, prints) ?? loneIn(line)", "loneIn(line)"],
  ]),
  ...lines("trust", "src/redact/step-printings.ts", "test/cli/redact-polls.test.ts", [
    ["ids are compared without case and underscores", 'name.replaceAll("_", "").toLowerCase()', "name"],
  ]),
  ...lines("trust", "src/redact/step-printings.ts", "test/cli/redact-order.test.ts", [
    ["a file that a command prints into is judged by it", " ?? this.#fileNamed(path)", ""],
  ]),
  ...lines("trust", "src/redact/redacting-sink.ts", "test/cli/redact-order.test.ts", [
    [
      "a secret is masked in contents from before it was known",
      "    this.#maskEarlier(manifest, this.#redactor);\n",
      "",
    ],
    [
      "what the user's own commands print is judged by them",
      "printed ?? this.#printings.reported(bytes)",
      "printed",
    ],
  ]),
  ...lines("trust", "src/redact/scan-locations.ts", "test/cli/redact-order.test.ts", [
    [
      "scan judges the user's own commands",
      'if (step.type === "context" && step.output_ref !== undefined) noteReport(step.output_ref);',
      "",
    ],
  ]),
  ...lines("trust", "src/intake/formats/codex/calls.ts", "test/cli/redact-order.test.ts", [
    ["a command that runs on is known before its polls", "    builder.show(id, seen);\n", ""],
    ["a command that only an event names is judged", "    origin: { tool, parameters },\n", ""],
  ]),
  // Secrets in texts: what rules find.
  ...lines("escape", "src/redact/match-rules.ts", "test/unit/redact/token-after-token.test.ts", [
    [
      "a token in the line below another one is found",
      "search.ends.set(rule, (found.pieces[0] as { to: number }).to);",
      "search.ends.set(rule, (found.pieces.at(-1) as { to: number }).to);",
    ],
    ["tokens in consecutive lines get a placeholder each", "withoutNext(taken, text)", "taken"],
  ]),
  ...lines("escape", "src/redact/match-rules.ts", "test/unit/redact/values.test.ts", [
    [
      "the password of .netrc is masked whatever it is",
      'if (isGuess === "any") return !isFilledIn(start);',
      'if (isGuess === "any") return isNoWord(start);',
    ],
  ]),
  ...lines("escape", "src/redact/encoding.ts", "test/cli/redact-encodings.test.ts", [
    [
      "UTF-16 of other scripts is read without its mark",
      'if (isScript(head, half, 1)) return "utf16le";',
      "if (half < 0) return undefined;",
    ],
  ]),
  ...lines("escape", "src/redact/content-scan.ts", "test/cli/redact-encodings.test.ts", [
    [
      "UTF-16 that is UTF-8 as well is counted",
      'if (scan.encoding === "utf8" && text.includes("\\0") &&',
      'if (scan.encoding === "utf8" && text.length < 0 &&',
    ],
  ]),
  ...lines("escape", "src/redact/pattern-parts.ts", "test/unit/redact/values.test.ts", [
    [
      "marks that JSON or HTML writes otherwise are marks",
      "|\\\\\\\\{1,7}u003[ad]|&(?:#(?:58|61|x3[ad])|equals|colon);",
      "",
    ],
  ]),
  ...lines("trust", "src/ops/seal-session.ts", "test/cli/hook-notes.test.ts", [
    ["what hooks write down is masked", "masked[name] = redactor.text(text).value;", "masked[name] = text;"],
  ]),
  ...lines("trust", "src/redact/rules/user-rules.ts", "test/cli/hook-notes.test.ts", [
    ["a message about a rule does not quote its pattern", ".split(/:? ?`/, 1)", ".split(/$^/, 1)"],
  ]),
  ...lines("escape", "src/redact/match-rules.ts", "test/unit/redact/classes.test.ts", [
    [
      "cells below a telling head are judged",
      "if (rule.isColumn === true) {",
      "if (rule.isColumn !== undefined && at < 0) {",
    ],
    [
      "further secrets of a list are masked",
      "while (listed.length < maxListed) {",
      "while (listed.length < 0) {",
    ],
  ]),
  ...lines("escape", "src/redact/announced.ts", "test/unit/redact/announced.test.ts", [
    [
      "an announced password may be a plain word with digits",
      "if (isSure) return hasDigits",
      "if (isSure) return false && hasDigits",
    ],
    ["a seed may contain words of sentences", "(count < seedLength ? 0 : 2)", "(count < seedLength ? 0 : 0)"],
  ]),
  ...lines("escape", "src/redact/match-rules.ts", "test/unit/redact/announced.test.ts", [
    [
      "several words behind a name are judged as a passphrase",
      'if (isGuess === "phrase") return isWordPhrase(secret);',
      'if (isGuess === "phrase") return false;',
    ],
  ]),
  ...lines("escape", "src/redact/code-forms.ts", "test/unit/redact/values.test.ts", [
    ["random letters of both cases are no name", "&& hasRandomLetters(bare))", "&& bare.length < 0)"],
  ]),
  ...lines("escape", "src/redact/redactor.ts", "test/unit/redact/classes.test.ts", [
    [
      "what a call writes to a secret file is judged",
      "const written = writtenSecret(value);",
      "const written = undefined;",
    ],
  ]),
  ...lines("escape", "src/redact/secret-heuristics.ts", "test/unit/redact/values.test.ts", [
    [
      "a secret may begin with the mark of a variable or a file",
      "if (!/^[$@:%&]/.test(text)) return false;",
      "return /^[$@:%&]/.test(text);",
    ],
    [
      "four x in a long token are no placeholder",
      '(filling !== "" && filling.length * 3 >= text.length)',
      'filling !== ""',
    ],
  ]),
];

/** Several of one kind in one file. */
function lines(
  kind: Safeguard["kind"],
  file: string,
  missedBy: string,
  changes: readonly (readonly [name: string, from: string, to: string])[],
): Safeguard[] {
  return changes.map(([name, from, to]) => ({ kind, name, file, from, to, missedBy }));
}
