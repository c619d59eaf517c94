// The system calls that no replayed program may make, as a filter for the kernel. The namespaces keep a
// program in; this keeps it away from the parts of the kernel through which others have broken out of
// namespaces.

/**
 * Returns the filter as the bytes that bwrap reads (`struct sock_filter`), or undefined if the architecture
 * has no table of numbers.
 */
export function seccompFilter(arch: string): Buffer | undefined {
  const machine = machines.get(arch);
  if (machine === undefined) return undefined;
  const program = [
    load(4),
    // Calls of 32-bit programs have other numbers; a program that makes one is killed.
    { code: jumpIfEqual, value: machine.audit, yes: 1, no: 0 },
    answer(killed),
    load(0),
    // Numbers from 0x40000000 on are the x32 calls, which the numbers below would miss.
    ...when(jumpIfAtLeast, 0x40000000, [answer(killed)]),
    ...Object.values(denied).flatMap((numbers) => {
      const number = numbers[machine.column];
      return number === undefined ? [] : when(jumpIfEqual, number, [answer(refused)]);
    }),
    ...watches.flatMap((numbers) => {
      const number = numbers[machine.column];
      return number === undefined ? [] : when(jumpIfEqual, number, [answer(tooMany)]);
    }),
    // Without it libc writes what it would reserve, at a pace that the disk limit can follow.
    ...when(jumpIfEqual, fallocate[machine.column], [answer(notSupported)]),
    // Its flags are in memory, where a filter cannot look. Without it, libc uses clone.
    ...when(jumpIfEqual, clone3, [answer(notThere)]),
    ...call(judged.clone[machine.column], 0, when(jumpIfAnySet, newNamespaces, [answer(refused)])),
    ...call(judged.ioctl[machine.column], 1, [
      ...anyOf(terminalTricks, answer(refused)),
      ...anyOf(reservations, answer(notSupported)),
    ]),
    ...call(judged.personality[machine.column], 0, [
      ...anyOf(personalities, answer(allowed)),
      answer(refused),
    ]),
    ...[judged.socket, judged.socketpair].flatMap((numbers) =>
      call(numbers[machine.column], 0, [...anyOf(families, answer(allowed)), answer(noFamily)]),
    ),
    answer(allowed),
  ];
  return Buffer.concat(program.map(encode));
}

interface Instruction {
  code: number;
  value: number;
  /** How many instructions to skip if a jump's test holds, and if it does not. */
  yes: number;
  no: number;
}

const machines = new Map<string, { audit: number; column: 0 | 1 }>([
  ["x64", { audit: 0xc000003e, column: 0 }],
  ["arm64", { audit: 0xc00000b7, column: 1 }],
]);

const allowed = 0x7fff0000;
const killed = 0x80000000;
const errno = 0x00050000;
const refused = errno + 1; // EPERM
const tooMany = errno + 24; // EMFILE
const notThere = errno + 38; // ENOSYS
const notSupported = errno + 95; // EOPNOTSUPP
const noFamily = errno + 97; // EAFNOSUPPORT

const clone3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e020000;
/** TIOCSTI types into a terminal, TIOCLINUX pastes into one. */
const terminalTricks = [0x5412, 0x541c];
/** Takes any amount of disk at once, between two measurements: its numbers on x86_64 and on aarch64. */
const fallocate = [285, 47] as const;
/** FS_IOC_RESVSP, FS_IOC_RESVSP64 and FS_IOC_ZERO_RANGE, which are fallocate by another name. */
const reservations = [0x40305828, 0x4030582a, 0x40305839];
/** An ordinary Linux program, and the query for the current value. */
const personalities = [0, 0xffffffff];
/** AF_UNIX, AF_INET and AF_INET6. */
const families = [1, 2, 10];

/** Calls that are judged by an argument: their numbers on x86_64 and on aarch64. */
const judged = {
  clone: [56, 220],
  ioctl: [16, 29],
  personality: [135, 92],
  socket: [41, 198],
  socketpair: [53, 199],
} as const;

/**
 * inotify_init and inotify_init1: the kernel counts instances per user, so a step could use up those of other
 * programs.
 */
const watches: readonly (readonly [number | undefined, number | undefined])[] = [
  [253, undefined],
  [294, 26],
];

/**
 * Calls that are refused whatever their arguments: their numbers on x86_64 and, if it has them, on aarch64.
 */
export const denied: Record<string, readonly [number, number?]> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Large parts of the kernel that no build or test needs.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  fanotify_init: [300, 262],
  modify_ldt: [154],
  // Keys are not in a namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // File systems and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // The machine as a whole.
  syslog: [103, 116],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  lookup_dcookie: [212, 18],
  iopl: [172],
  ioperm: [173],
  vhangup: [153, 58],
  clock_settime: [227, 112],
  settimeofday: [164, 170],
  clock_adjtime: [305, 266],
};

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnySet = 0x45;
const returnValue = 0x06;

/**
 * Loads four bytes of the kernel's description of a call: its number at 0, the machine at 4, arguments from
 * 16.
 */
function load(offset: number): Instruction {
  return { code: loadWord, value: offset, yes: 0, no: 0 };
}

function answer(value: number): Instruction {
  return { code: returnValue, value, yes: 0, no: 0 };
}

/** Returns instructions that are skipped unless the test holds. */
function when(test: number, value: number, body: Instruction[]): Instruction[] {
  return [{ code: test, value, yes: 0, no: body.length }, ...body];
}

function anyOf(values: number[], answered: Instruction): Instruction[] {
  return values.flatMap((value) => when(jumpIfEqual, value, [answered]));
}

/** Judges a call by the lower half of an argument; the kernel itself reads no more of these. */
function call(number: number, argument: number, body: Instruction[]): Instruction[] {
  return when(jumpIfEqual, number, [load(16 + 8 * argument), ...body, answer(allowed)]);
}

function encode({ code, value, yes, no }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
