// What keeps users safe besides flushes: each of these is one small change to the sources, after which the case that is named must
// find something. `npm run torture -- --safeguards` takes out one after the other, on copies.

export interface Safeguard {
  kind: "lock" | "escape" | "name" | "link" | "size" | "hash" | "trust";
  /** What is no longer done. */
  name: string;
  file: string;
  /** Stands there once. */
  from: string;
  to: string;
  /** Part of the name of a case that must turn red. */
  missedBy: string;
}

const hostile = "hostile packs";

export const safeguards: Safeguard[] = [
  ...lines("lock", "src/store/lock.ts", "held back", [
    ["a sweep waits for those who add", `sweep: ["add", "once", "sweep"],`, `sweep: ["sweep"],`],
    ["who adds waits for a sweep", `add: ["sweep"],`, "add: [],"],
    ["what a living writer has aside stays", "if (alive.has(name)) continue;", ""],
  ]),
  ...lines("lock", "src/store/lock.ts", "test/process/concurrency.test.ts", [
    ["a log without a time is packed by one at a time", `once: ["once", "sweep"],`, `once: ["sweep"],`],
  ]),
  ...lines("lock", "src/store/write-tags.ts", "test/cli/tag.test.ts", [
    ["a tag that is taken stays", "else linkIfFree(staged, path, tag);", "else fs.renameSync(staged, path);"],
  ]),
  ...lines("lock", "src/store/with-batch.ts", "crash: pack", [
    ["what a crash left is cleared", "    clearLeftovers(root);\n", ""],
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
    ["a problem of a document", "${place}${printable(message)}", "${place}${message}"],
    ["the place of a problem", `paint("cyan", printable(path))`, `paint("cyan", path)`],
  ]),
  ...lines("escape", "src/cli/commands/cat.ts", hostile, [
    ["a blob on a terminal", 'printableLines(bytes.toString("utf8"))', 'bytes.toString("utf8")'],
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
      'part.replaceAll(/[\\p{Cc}%<>:"|?*\\\\/]/gu, percent)',
      "part",
    ],
    [
      "devices, .git and .ctx are other names",
      "if (device.test(encoded) || isReserved(encoded))",
      "if (false)",
    ],
    ["names are not too long", "Buffer.byteLength(encoded) <= longestPart ? encoded", "true ? encoded"],
    [
      "names that differ in case only are told apart",
      `path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")`,
      "path",
    ],
  ]),
  ...lines("name", "src/ops/remote.ts", hostile, [
    ["names of remotes in the settings", "filter((name) => !isName(name))", "filter(() => false)"],
    ["names of remotes that are added", "  if (!isName(name))\n", "  if (name === undefined)\n"],
  ]),
  ...lines("name", "src/share/registry/address.ts", hostile, [
    ["hosts are written as they are used", "  if (known !== name) throw", "  if (known === name + 1) throw"],
  ]),
  ...lines("name", "src/share/bundle/read-layout.ts", hostile, [
    [
      "a bundle has only the names of a layout",
      "      if (hex === undefined || !isHash(hex)) throw this.#bad(`it has a file ${name}`);\n",
      "      if (hex === undefined) return;\n",
    ],
  ]),
  ...lines("name", "src/provenance/write-sidecars.ts", hostile, [
    [
      "sidecars go to no place outside",
      `    if (first === ".." || first === "" || first.toLowerCase() === storeName) return false;\n`,
      "",
    ],
  ]),
  ...lines("link", "src/base/files.ts", hostile, [
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
      "nobody waits for a pipe",
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
      "nobody waits for a pipe among the objects",
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
  ...lines("link", "src/share/bundle/read-tar.ts", hostile, [
    [
      "a bundle holds files and folders only",
      `if (!["0", "5", "x", "g"].includes(type)) throw`,
      "if (type === undefined) throw",
    ],
  ]),
  ...lines("size", "src/base/json-reader.ts", "fuzz: log", [
    ["nesting of documents", "if (++this.#depth > maxDepth)", "if (++this.#depth > 1e9)"],
  ]),
  ...lines("size", "src/intake/parse.ts", "fuzz: openinference log", [
    ["nesting of logs", "const deepest = 900;", "const deepest = 1e9;"],
  ]),
  ...lines("size", "src/share/bundle/read-tar.ts", hostile, [
    ["size of an entry in a bundle", "  if (entry.size > most) throw", "  if (most < 0) throw"],
    ["size of what is noted of an entry", "  if (size > 1 << 16) throw", "  if (size < 0) throw"],
  ]),
  ...lines("size", "src/share/bundle/read-layout.ts", hostile, [
    ["size of a manifest in a bundle", "  if (size > most) throw", "  if (most < 0) throw"],
    ["sizes that a bundle tells", "    if (expected !== size) throw", "    if (expected < 0) throw"],
  ]),
  ...lines("size", "src/share/registry/address.ts", "fuzz: address of a registry", [
    ["length of an address", "  if (text.length > longest)", "  if (text.length < 0)"],
  ]),
  ...lines("size", "src/base/files.ts", "crash: pack", [
    ["what was written has arrived", "  if (actual === size) return;", "  if (actual >= 0) return;"],
  ]),
  ...lines("size", "src/ops/show.ts", "test/cli/show.test.ts", [
    ["size of what is shown", "const largestShown = 64 << 20;", "const largestShown = 2 ** 50;"],
  ]),
  ...lines("hash", "src/store/objects.ts", "bit rot: objects", [
    [
      "what is read has the hash of its name",
      "  if (actual === hex) return;",
      "  if (actual !== undefined) return;",
    ],
    [
      "what is there already has the right bytes",
      "      return size === expected.length && isSame(descriptor, expected);",
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
      "  if (line.slice(0, space) !== checksum(text)) throw new BrokenCatalog();\n",
      "",
    ],
    ["a row of the catalog has its sum", "  if (!hasSum(row)) throw new BrokenCatalog();\n", ""],
  ]),
  ...lines("hash", "src/store/packs.ts", "bit rot: packs", [
    [
      "a pack that is there is sound",
      "    if (!fs.lstatSync(path).isFile()) return false;\n",
      "    if (fs.existsSync(path)) return true;\n",
    ],
  ]),
  ...lines("hash", "src/share/bundle/arrival.ts", hostile, [
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
  ...lines("hash", "src/share/bundle/arrival.ts", hostile, [
    [
      "contents in a bundle are in order",
      "      if (name <= previous) throw",
      "      if (name === undefined) throw",
    ],
  ]),
  ...lines("size", "src/intake/source.ts", "test/unit/intake/source.test.ts", [
    ["length of a record", "const isHeld = size <= longest;", "const isHeld = size <= longest || size > 0;"],
  ]),
  ...lines("size", "src/intake/zip.ts", "test/unit/intake/zip.test.ts", [
    ["what a compressed log may become", "Math.min(fairSize(bytes.length), mostOfAll)", "2 ** 50"],
  ]),
  ...lines("link", "src/replay/place.ts", "test/unit/replay/tree.test.ts", [
    [
      "no step of a replay follows a link to a folder",
      "flags.O_RDONLY | flags.O_DIRECTORY | flags.O_NOFOLLOW;",
      "flags.O_RDONLY | flags.O_DIRECTORY;",
    ],
  ]),
  ...lines("trust", "src/share/registry/challenge.ts", "test/unit/share/registry/challenge.test.ts", [
    ["passwords go to the registry's own places", "|| !((isNamedSafely && isSafe) || isItself))", ")"],
  ]),
  ...lines("trust", "src/store/config.ts", "test/cli/redact.test.ts", [
    ["a store cannot turn masking off", `    mode: isOff ? "standard" : mode,`, "    mode,"],
  ]),
  ...lines("trust", "src/store/trust.ts", hostile, [
    [
      "programs of a store are inert until they are trusted",
      "export function isTrusted(store: Store, config: Buffer, state: string): boolean {\n",
      'export function isTrusted(store: Store, config: Buffer, state: string): boolean {\n  if (state !== "") return true;\n',
    ],
  ]),
  // The wire: exit statuses, registries, code caches, what leaves.
  ...lines("trust", "src/cli/start.ts", "test/process/streams.test.ts", [
    [
      "a command that ends without an answer says so",
      "    if (!hasAnswered) fail(",
      "    if (argv.length < 0) fail(",
    ],
    ["an exception that nobody catches is one line", `  process.on("uncaughtException", crash);\n`, ""],
  ]),
  ...lines("trust", "src/cli/terminal.ts", "test/process/streams.test.ts", [
    [
      "what cannot be said on standard error stops nothing",
      "      else writeIfPossible(bytes);",
      "      else writeAll(2, bytes);",
    ],
  ]),
  ...lines("trust", "src/share/registry/http.ts", "test/unit/share/registry/http.test.ts", [
    [
      "an answer of 101 is an error",
      "        if (response.statusCode === 101) {",
      "        if (response.statusCode === 999) {",
    ],
    ["another protocol is an error", "        reject(switched());\n", ""],
    ["interim answers come to an end", "if (++interim > mostInterim)", "if (++interim < 0)"],
  ]),
  ...lines("name", "src/ops/pull.ts", "test/cli/registry.test.ts", [
    [
      "the first digits of a hash never name another pack",
      "if (tagged !== undefined && !tagged.startsWith(prefix)) throw falseTag",
      "if (tagged === prefix) throw falseTag",
    ],
  ]),
  ...lines("name", "src/ops/push.ts", "test/cli/registry.test.ts", [
    [
      "no tag that reads as a hash is pushed",
      "if (tag !== undefined && isHashLike(tag))",
      "if (tag === place.address.host)",
    ],
  ]),
  ...lines("trust", "src/share/registry/credentials.ts", "test/cli/registry-auth.test.ts", [
    [
      "a password goes to the host that it is for",
      "if (named !== undefined && named.host === host) return",
      "if (named !== undefined) return",
    ],
  ]),
  ...lines("trust", "scripts/launcher.cjs", "test/process/code-cache.test.ts", [
    ["a code cache that lost a block is not run", " || sum !== cache.sumOf(data)", ""],
    ["a code cache is of the program as it is", "[size, mtimeMs, ctimeMs, env", "[env"],
  ]),
  ...lines("trust", "scripts/code-cache.cjs", "test/process/code-cache.test.ts", [
    ["no code cache in another user's home", "    if (above.uid !== user) return false;\n", ""],
  ]),
  ...lines("trust", "src/ops/export.ts", "test/cli/leaving.test.ts", [
    ["an exported file is its owner's alone", `"wx", 0o600`, `"wx", 0o644`],
  ]),
  ...lines("escape", "src/render/markdown.ts", "test/unit/render/markdown.test.ts", [
    ["an address is no link in Markdown", "    .split(linkParts)", "    .split(/(?!)/)"],
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
