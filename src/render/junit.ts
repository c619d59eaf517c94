// JUnit XML, for CI systems: suites of tests that passed, failed, were skipped or could not be run.
import { printable, printableLines } from "../base/printable.js";

export interface JunitCase {
  name: string;
  /** The failure, in one line and in full. */
  failure?: { message: string; text: string } | undefined;
  /** Why the test could not be run. */
  error?: string | undefined;
  skipped?: string | undefined;
  output?: string | undefined;
}

export function renderSuite(kind: string, name: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const errors = cases.filter(({ error }) => error !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="${attribute(name)}" ${counts}>`,
    ...cases.map((each) => testcase(kind, each)),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testcase(kind: string, { name, failure, error, skipped, output }: JunitCase): string {
  const parts = [
    failure === undefined
      ? ""
      : `<failure message="${attribute(failure.message)}">${text(failure.text)}</failure>`,
    error === undefined ? "" : `<error message="${attribute(error)}"></error>`,
    skipped === undefined ? "" : `<skipped message="${attribute(skipped)}"></skipped>`,
    output === undefined ? "" : `<system-out>${text(output)}</system-out>`,
  ];
  return `<testcase classname="${attribute(kind)}" name="${attribute(name)}">${parts.join("")}</testcase>`;
}

function attribute(value: string): string {
  return escape(printable(value));
}

function text(value: string): string {
  return escape(printableLines(value));
}

/** Escapes text for XML. `printable` has escaped all characters that XML cannot hold, except these two. */
function escape(value: string): string {
  return value.replaceAll(/[<>&"'\ufffe\uffff]/g, (character) =>
    character >= "\ufffe" ? "\ufffd" : `&#${character.charCodeAt(0)};`,
  );
}
