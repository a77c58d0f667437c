import { describe, expect, test } from 'vitest';
import { createFilter, type FilterOptions } from './create-filter.ts';
import { type Arch, AUDIT_ARCH, DENIED } from './syscalls.ts';
import { interpret } from './test-interpreter.ts';

const EPERM = { errno: 1 };
const ENOSYS = { errno: 38 };

/**
 * Numbers of calls that any work needs: read, write, openat, execve, futex, ptrace, mmap, kill, recvfrom, sendmsg,
 * bind.
 */
const NEEDED: Readonly<Record<Arch, readonly number[]>> = {
  x64: [0, 1, 257, 59, 202, 101, 9, 62, 45, 46, 49, 310, 438, 444, 436, 439, 448],
  arm64: [63, 64, 56, 221, 98, 117, 222, 129, 207, 211, 200, 270, 438, 444, 436, 439, 448],
};

/** Numbers from the kernel's headers, independent of the tables under test. */
const NUMBERS = {
  x64: {
    clone: 56,
    clone3: 435,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    io_uring_setup: 425,
    keyctl: 250,
    unshare: 272,
  },
  arm64: {
    clone: 220,
    clone3: 435,
    ioctl: 29,
    socket: 198,
    socketpair: 199,
    io_uring_setup: 425,
    keyctl: 219,
    unshare: 97,
  },
};

const HIGH_GARBAGE = 0xdeadbeefn << 32n;

describe.each<Arch>(['x64', 'arm64'])('the filter on %s', (arch) => {
  const numbers = NUMBERS[arch];
  const run = (number: number, args: readonly bigint[] = [], options: Partial<FilterOptions> = {}) =>
    interpret(createFilter({ arch, internet: true, unixSockets: false, isolated: true, ...options }), {
      number,
      arch: AUDIT_ARCH[arch],
      args,
    });

  test('allows the calls that work on files needs', () => {
    for (const number of NEEDED[arch]) expect(run(number), String(number)).toBe('allow');
  });

  test('denies each call of the table', () => {
    for (const [name, entry] of Object.entries(DENIED)) {
      const number = entry[arch === 'x64' ? 0 : 1];
      if (number !== undefined) expect(run(number), name).toEqual(EPERM);
    }
    for (const name of ['io_uring_setup', 'keyctl', 'unshare'] as const)
      expect(run(numbers[name]), name).toEqual(EPERM);
  });

  test('denies IPC by key where no namespace separates processes', () => {
    const [shmat = 0, msgget = 0] = arch === 'x64' ? [30, 68] : [196, 186];
    for (const number of [shmat, msgget]) {
      expect(run(number)).toBe('allow');
      expect(run(number, [], { isolated: false })).toEqual(EPERM);
    }
    for (const number of NEEDED[arch]) expect(run(number, [], { isolated: false }), String(number)).toBe('allow');
  });

  test('lets a call change its own process, and others only where a namespace separates them', () => {
    // setpriority and ioprio_set take a kind before the number of the process.
    const [prlimit, affinity, scheduler, parameters, attributes, priority, io] =
      arch === 'x64' ? [302, 203, 144, 142, 314, 141, 251] : [261, 122, 119, 118, 274, 140, 30];
    const calls: [number | undefined, bigint[]][] = [
      ...[prlimit, affinity, scheduler, parameters, attributes].map(
        (number) => [number, []] as [typeof number, bigint[]],
      ),
      [priority, [0n]],
      [io, [1n]],
    ];
    for (const [number = 0, kind] of calls) {
      const on = (pid: bigint, isolated: boolean) => run(number, [...kind, pid], { isolated });
      expect(on(0n, false), String(number)).toBe('allow');
      expect(on(0n | HIGH_GARBAGE, false), String(number)).toBe('allow');
      for (const pid of [1n, 4321n, -1n, 0x80000000n]) {
        expect(on(pid, false), String(number)).toEqual(EPERM);
        expect(on(pid, true), String(number)).toBe('allow');
      }
    }
    // Groups and users.
    for (const kind of [1n, 2n, -1n]) expect(run(priority ?? 0, [kind, 0n], { isolated: false })).toEqual(EPERM);
    for (const kind of [0n, 2n, 3n]) expect(run(io ?? 0, [kind, 0n], { isolated: false })).toEqual(EPERM);
  });

  test('ends a process that uses the numbers of another architecture', () => {
    const program = createFilter({ arch, internet: true, unixSockets: true, isolated: true });
    for (const other of [0x40000003, arch === 'x64' ? AUDIT_ARCH.arm64 : AUDIT_ARCH.x64, 0x40000028]) {
      for (const number of [0, 41, 359]) expect(interpret(program, { number, arch: other })).toBe('kill');
    }
  });

  test('allows forks and threads, but not namespaces', () => {
    expect(run(numbers.clone, [0x11n])).toBe('allow');
    expect(run(numbers.clone, [0x3d0f00n])).toBe('allow');
    for (const bit of [0x20000n, 0x02000000n, 0x04000000n, 0x08000000n, 0x10000000n, 0x20000000n, 0x40000000n]) {
      expect(run(numbers.clone, [bit | 0x11n | HIGH_GARBAGE])).toEqual(EPERM);
    }
    expect(run(numbers.clone3)).toEqual(ENOSYS);
  });

  test('denies typing into terminals, whatever the high half of the argument', () => {
    for (const request of [0x5412n, 0x541cn]) {
      expect(run(numbers.ioctl, [0n, request])).toEqual(EPERM);
      expect(run(numbers.ioctl, [0n, request | HIGH_GARBAGE])).toEqual(EPERM);
    }
    for (const request of [0x5413n, 0x5401n, 0x5410n]) expect(run(numbers.ioctl, [0n, request])).toBe('allow');
  });

  const families = (options: Partial<FilterOptions>) =>
    Array.from({ length: 46 }, (_, family) => family).filter(
      (family) => run(numbers.socket, [BigInt(family) | HIGH_GARBAGE, 1n, 0n], options) === 'allow',
    );

  test('allows only the sockets that it should', () => {
    expect(families({ internet: false })).toEqual([]);
    expect(families({ internet: false, unixSockets: true, isolated: true })).toEqual([1]);
    expect(families({ internet: true })).toEqual([2, 10, 16]);
    expect(families({ internet: true, unixSockets: true, isolated: true })).toEqual([1, 2, 10, 16]);
    for (let protocol = 1n; protocol < 23n; protocol++) {
      expect(run(numbers.socket, [16n, 3n, protocol])).toEqual(EPERM);
    }
  });

  test('allows pairs that stay connected to each other', () => {
    const types = (family: bigint, options: Partial<FilterOptions> = {}) =>
      [1n, 2n, 3n, 4n, 5n, 10n].filter(
        (type) => run(numbers.socketpair, [family, type | 0x80800n], options) === 'allow',
      );
    expect(types(1n)).toEqual([1n, 5n]);
    expect(types(1n, { unixSockets: true, isolated: true })).toContain(2n);
    for (const family of [2n, 10n, 16n, 30n, 40n])
      expect(types(family, { unixSockets: true, isolated: true })).toEqual([]);
  });
});

test('the numbers of x32 do not exist', () => {
  const program = createFilter({ arch: 'x64', internet: true, unixSockets: true, isolated: true });
  for (const number of [0x40000000, 0x40000000 + 41, 0xffffffff]) {
    expect(interpret(program, { number, arch: AUDIT_ARCH.x64 })).toEqual(ENOSYS);
  }
});
