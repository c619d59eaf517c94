// What `ctx` starts with: this file, with the names filled in by the build, becomes dist/ctx.cjs. It runs a program from
// V8's code cache where the build made one for this very version of Node, which saves a fifth of a short command's time,
// and without one everywhere else. The names carry a hash of the program, so a cache never meets another.
"use strict";

if (process.argv.length === 3 && process.argv[2] === "--version")
  require("node:fs").writeSync(1, "ctx __VERSION__\n");
else load().start();

function load() {
  const { readFileSync } = require("node:fs");
  const { Script } = require("node:vm");
  // The commands that are called most have programs of their own: reading the whole one would take longer than they do.
  const small = new Map(__SMALL__).get(process.argv[2]);
  const path = `${__dirname}/${small ?? "__PROGRAM__"}`;
  const filename = `${path}.cjs`;
  let cachedData;
  try {
    cachedData = readFileSync(`${path}-${process.version}-${process.arch}.cache`);
  } catch {
    // V8 compiles it.
  }
  // The build writes programs in ASCII, each as the function that a module is.
  const source = readFileSync(filename, "latin1");
  const loaded = { exports: {} };
  new Script(source, { filename, cachedData }).runInThisContext()(
    loaded.exports,
    require,
    loaded,
    filename,
    __dirname,
  );
  return loaded.exports;
}
