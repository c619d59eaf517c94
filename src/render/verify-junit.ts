// Renders the result of `ctx verify` as JUnit XML: one test for each claim.
import type { VerifiedTarget, VerifyResult } from "../results/verify.js";
import { type JunitCase, renderSuite } from "./junit.js";

export function renderVerifyJunit({ targets }: VerifyResult): string {
  const cases = targets.flatMap((target): JunitCase[] => {
    const claims = target.claims.map(({ claim, answer, detail }) => ({
      name: `${target.target}: ${claim}`,
      failure: answer === "no" ? { message: detail, text: faultsOf(target).join("\n") } : undefined,
      skipped: answer === "not_checked" ? detail : undefined,
    }));
    // A file about which nothing is known must not look like a row of skipped tests.
    const isUnknown = ["unproven", "masked", "absent"].includes(target.result);
    return isUnknown
      ? [{ name: `${target.target}: ${target.result}`, error: detailOf(target) }, ...claims]
      : claims;
  });
  return renderSuite("ctx.verify", "ctx verify", cases);
}

function faultsOf({ faults }: VerifiedTarget): string[] {
  return faults.map(({ message, remedy }) => `${message} (${remedy})`);
}

function detailOf({ claims, result }: VerifiedTarget): string {
  return claims[0]?.detail ?? result;
}
