// What `ctx` starts with: this file, with the names filled in by the build, becomes dist/ctx.cjs. It runs the program from
// V8's code cache where the build made one for this very version of Node, which saves a fifth of a short command's time,
// and loads it in the ordinary way everywhere else. The names carry a hash of the program, so a cache never meets another.
"use strict";

if (process.argv.length === 3 && process.argv[2] === "--version")
  require("node:fs").writeSync(1, "ctx __VERSION__\n");
else load().start();

function load() {
  const { readFileSync } = require("node:fs");
  const file = `${__dirname}/__PROGRAM__.cjs`;
  let cachedData;
  try {
    // One for what packs or looks for secrets, and one for the rest.
    const packing = ["pack", "discover", "hook", "scan", "export", "push", "__seal"];
    const kind = packing.includes(process.argv[2]) ? "pack" : "look";
    cachedData = readFileSync(`${__dirname}/__PROGRAM__-${kind}-${process.version}-${process.arch}.cache`);
  } catch {
    return require(file);
  }
  const { Script } = require("node:vm");
  const loaded = { exports: {} };
  // The build writes the program in ASCII.
  const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "latin1")}\n})`;
  new Script(source, { filename: file, cachedData }).runInThisContext()(
    loaded.exports,
    require,
    loaded,
    file,
    __dirname,
  );
  return loaded.exports;
}
