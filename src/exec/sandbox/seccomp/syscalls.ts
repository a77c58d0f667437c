/** Processors with tables of system calls. */
export type Arch = 'x64' | 'arm64';

/** Numbers by which the kernel names the processor to a filter. */
export const AUDIT_ARCH: Readonly<Record<Arch, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

type Numbers = readonly [x64: number, arm64: number | undefined];

/** Numbers of system calls whose arguments a filter inspects. */
export const INSPECTED = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
} as const satisfies Readonly<Record<string, Numbers>>;

/**
 * Numbers of system calls that work on files never needs. They could undo the sandbox, reach the machine around it, or
 * expose a large part of the kernel to attacks.
 */
export const DENIED: Readonly<Record<string, Numbers>> = {
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
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
  open_by_handle_at: [304, 265],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  fanotify_init: [300, 262],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
};

/**
 * Numbers of system calls by which processes reach each other without a file. Without an IPC namespace these are all
 * processes of the machine.
 */
export const IPC: Readonly<Record<string, Numbers>> = {
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
};

/** A system call that works on any process by its number. */
export interface SelfCall {
  readonly numbers: readonly [x64: number, arm64: number];
  /** Arguments by their index that make the call work on its caller. */
  readonly itself: Readonly<Record<number, number>>;
}

const PROCESS = { priority: 0, io: 1 };

/**
 * System calls that change another process, and ask only for the same user. Landlock does not know them, but knows
 * signals and everything that the kernel treats like tracing: memory, descriptors, pages, lists of locks.
 */
export const ON_ITSELF: Readonly<Record<string, SelfCall>> = {
  prlimit64: { numbers: [302, 261], itself: { 0: 0 } },
  sched_setaffinity: { numbers: [203, 122], itself: { 0: 0 } },
  sched_setscheduler: { numbers: [144, 119], itself: { 0: 0 } },
  sched_setparam: { numbers: [142, 118], itself: { 0: 0 } },
  sched_setattr: { numbers: [314, 274], itself: { 0: 0 } },
  // A group or a user would be many processes.
  setpriority: { numbers: [141, 140], itself: { 0: PROCESS.priority, 1: 0 } },
  ioprio_set: { numbers: [251, 30], itself: { 0: PROCESS.io, 1: 0 } },
};

/** Returns the numbers of a table for a processor. */
export function numbersOn(arch: Arch, table: Readonly<Record<string, Numbers>>): number[] {
  return Object.values(table).flatMap((numbers) => numbers[arch === 'x64' ? 0 : 1] ?? []);
}
