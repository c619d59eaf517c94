// The filter run as the kernel runs it, on calls that must pass and calls that must not.
import * as fs from "node:fs";
import { describe, expect, it } from "vitest";
import { denied, seccompFilter } from "../../../src/replay/seccomp.js";

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };
type Machine = keyof typeof audit;
const machines = Object.keys(audit) as Machine[];

/** Returns what the filter answers to a call. */
function judge(machine: Machine, number: number, args: number[] = [], arch = audit[machine]): string {
  const call = Buffer.alloc(64);
  call.writeUInt32LE(number >>> 0, 0);
  call.writeUInt32LE(arch, 4);
  for (const [at, value] of args.entries()) call.writeBigUInt64LE(BigInt(value), 16 + 8 * at);
  const program = seccompFilter(machine) as Buffer;
  let loaded = 0;
  for (let at = 0; at * 8 < program.length; at++) {
    const value = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean): number => program.readUInt8(at * 8 + (holds ? 2 : 3));
    const code = program.readUInt16LE(at * 8);
    if (code === 0x20) loaded = call.readUInt32LE(value);
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else if (code === 0x45) at += jump((loaded & value) !== 0);
    else if (code === 0x06) return answers[value] ?? `0x${value.toString(16)}`;
    else throw new Error(`unknown instruction 0x${code.toString(16)}`);
  }
  throw new Error("the program ran past its end");
}

const answers: Record<number, string> = {
  0x7fff0000: "allowed",
  0x80000000: "killed",
  0x00050001: "EPERM",
  0x00050018: "EMFILE",
  0x00050026: "ENOSYS",
  0x0005005f: "EOPNOTSUPP",
  0x00050061: "EAFNOSUPPORT",
};

/** Numbers of calls that are judged by their arguments, and of some that everything needs. */
const numbers = {
  x64: {
    clone: 56,
    ioctl: 16,
    personality: 135,
    socket: 41,
    socketpair: 53,
    ordinary: [0, 1, 59, 231, 257, 39],
  },
  arm64: {
    clone: 220,
    ioctl: 29,
    personality: 92,
    socket: 198,
    socketpair: 199,
    ordinary: [63, 64, 221, 94, 56],
  },
};

const fallocate = { x64: 285, arm64: 47 };
const inotify = { x64: [253, 294], arm64: [26] };

describe.each(machines)("the filter of %s", (machine) => {
  const { clone, ioctl, personality, socket, socketpair, ordinary } = numbers[machine];

  it("seccomp filter: it is whole instructions, fewer than the kernel's limit", () => {
    const { length } = seccompFilter(machine) as Buffer;
    expect(length % 8).toBe(0);
    expect(length / 8).toBeLessThan(4096);
  });

  it("seccomp filter: inotify fails as if the user had no instance left", () => {
    for (const number of inotify[machine]) expect(judge(machine, number), String(number)).toBe("EMFILE");
  });

  it("seccomp filter: every call that reserves disk space is not supported", () => {
    expect(judge(machine, fallocate[machine])).toBe("EOPNOTSUPP");
    for (const request of [0x40305828, 0x4030582a, 0x40305839, 2 ** 32 + 0x40305828])
      expect(judge(machine, ioctl, [0, request])).toBe("EOPNOTSUPP");
  });

  it("seccomp filter: unlisted calls are allowed", () => {
    for (const number of ordinary) expect(judge(machine, number), String(number)).toBe("allowed");
  });

  it("seccomp filter: every listed call is refused, and no other", () => {
    const refused = new Set(Object.values(denied).map((row) => row[machine === "x64" ? 0 : 1]));
    const checked = [personality, socket, socketpair, fallocate[machine], ...inotify[machine]];
    const all = Array.from({ length: 500 }, (_, at) => at).filter((number) => !checked.includes(number));
    expect(all.map((number) => [number, judge(machine, number)])).toEqual(
      all.map((number) => [number, refused.has(number) ? "EPERM" : number === 435 ? "ENOSYS" : "allowed"]),
    );
  });

  it("seccomp filter: calls of another architecture end the program", () => {
    for (const arch of [0x40000003, 0x40000028, 0, audit[machine === "x64" ? "arm64" : "x64"]])
      expect(judge(machine, 1, [], arch)).toBe("killed");
    for (const number of [0x40000000, 0x40000001, 0x40000000 + 101, 0xffffffff])
      expect(judge(machine, number)).toBe("killed");
  });

  it("seccomp filter: new processes and threads are allowed, namespaces are not", () => {
    for (const flags of [0x11, 0x3d0f00, 0x1200011, 0x4111])
      expect(judge(machine, clone, [flags])).toBe("allowed");
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) {
      expect(judge(machine, clone, [2 ** bit + 0x11]), String(bit)).toBe("EPERM");
      expect(judge(machine, clone, [2 ** 40 + 2 ** bit]), String(bit)).toBe("EPERM");
    }
    expect(judge(machine, 435)).toBe("ENOSYS");
  });

  it("seccomp filter: typing into terminals is refused, whatever the upper half of the number", () => {
    expect(judge(machine, ioctl, [0, 0x5413])).toBe("allowed");
    for (const request of [0x5412, 0x541c, 2 ** 32 + 0x5412])
      expect(judge(machine, ioctl, [0, request])).toBe("EPERM");
  });

  it("seccomp filter: three socket families are allowed", () => {
    for (const number of [socket, socketpair])
      for (let family = 0; family < 64; family++)
        expect(judge(machine, number, [family]), String(family)).toBe(
          [1, 2, 10].includes(family) ? "allowed" : "EAFNOSUPPORT",
        );
  });

  it("seccomp filter: only the ordinary personality is allowed", () => {
    for (const value of [0, 0xffffffff]) expect(judge(machine, personality, [value])).toBe("allowed");
    for (const value of [8, 0x40000, 0x400000]) expect(judge(machine, personality, [value])).toBe("EPERM");
  });
});

describe("the numbers", () => {
  it.each([
    [0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"],
    [1, "/usr/include/asm-generic/unistd.h"],
  ] as const)("seccomp numbers: they are those of the system headers, column %i", (column, header) => {
    const text = fs.existsSync(header) ? fs.readFileSync(header, "utf8") : "";
    const wrong = Object.entries(denied).filter(([name, row]) => {
      const own = new RegExp(`^#define __NR_${name}\\s+(\\d+)$`, "m").exec(text)?.[1];
      return own !== undefined && row[column] !== Number(own);
    });
    expect(wrong).toEqual([]);
  });

  it("seccomp numbers: other architectures are unknown", () => {
    for (const arch of ["ia32", "arm", "riscv64", "s390x", "toString"])
      expect(seccompFilter(arch), arch).toBeUndefined();
  });
});
