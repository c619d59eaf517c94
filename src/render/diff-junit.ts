// A drift report as JUnit XML, for a CI system: one test for each type of drift, which fails when something counts.
import { printable, printableLines } from "../base/printable.js";
import { type DriftReport, type DriftType, driftTypes } from "../model/drift.js";
import { shortHash } from "./layout.js";

export function renderJunit(report: DriftReport, only: readonly DriftType[] = driftTypes): string {
  const name = `ctx diff ${shortHash(report.pack_hash_a)} ${shortHash(report.pack_hash_b)}`;
  const cases = driftTypes
    .filter((type) => only.includes(type))
    .map((type) => {
      const entries = report.entries.filter((entry) => entry.type === type);
      const counted = entries.filter(({ usual }) => usual === undefined);
      const list = counted.map(({ description }) => description).join("\n");
      const usual = entries.flatMap((entry) =>
        entry.usual === undefined
          ? []
          : [`usual, seen in ${entry.usual.seen} of ${entry.usual.of}: ${entry.description}`],
      );
      const failure =
        counted.length === 0
          ? ""
          : `<failure message="${attribute(`${counted.length} ${type}: ${counted[0]?.description ?? ""}`)}">${text(list)}</failure>`;
      const noted = usual.length === 0 ? "" : `<system-out>${text(usual.join("\n"))}</system-out>`;
      return { failed: counted.length > 0, xml: testcase(type, failure + noted) };
    });
  const broken = report.unreadable.map(({ reference, message }) => ({
    failed: false,
    xml: testcase(`content ${shortHash(reference)}`, `<error message="${attribute(message)}"></error>`),
  }));
  const failures = cases.filter(({ failed }) => failed).length;
  return suite(name, [...cases, ...broken], failures, broken.length);
}

/** The same where there is no report: one test that could not be run. */
export function renderJunitError(message: string): string {
  const xml = testcase("comparison", `<error message="${attribute(message)}"></error>`);
  return suite("ctx diff", [{ xml }], 0, 1);
}

function suite(name: string, all: readonly { xml: string }[], failures: number, errors: number): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${all.length}" failures="${failures}" errors="${errors}">`,
    `<testsuite name="${attribute(name)}" tests="${all.length}" failures="${failures}" errors="${errors}">`,
    ...all.map(({ xml }) => xml),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testcase(name: string, inner: string): string {
  return `<testcase classname="ctx.diff" name="${attribute(name)}">${inner}</testcase>`;
}

function attribute(value: string): string {
  return escape(printable(value));
}

function text(value: string): string {
  return escape(printableLines(value));
}

/** What XML cannot hold at all is escaped by `printable` already, but for these two. */
function escape(value: string): string {
  return value.replaceAll(/[<>&"'\ufffe\uffff]/g, (character) =>
    character >= "\ufffe" ? "\ufffd" : `&#${character.charCodeAt(0)};`,
  );
}
