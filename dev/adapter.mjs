// An adapter for the tests of replay: prints its input. Not in a temporary folder, which no sandbox shows.
let input = "";
for await (const piece of process.stdin) input += piece;
if (process.argv.includes("--fail=true")) {
  process.stderr.write("it broke\n");
  process.exit(3);
}
const { TOKEN: token, HOME: home, SECRET: secret } = process.env;
process.stdout.write(`${JSON.stringify({ input, args: process.argv.slice(2), token, home, secret })}\n`);
