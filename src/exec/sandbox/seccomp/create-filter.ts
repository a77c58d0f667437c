import { type Arch, AUDIT_ARCH, DENIED, INSPECTED, IPC, numbersOn, ON_ITSELF, type SelfCall } from './syscalls.ts';

export interface FilterOptions {
  readonly arch: Arch;
  /**
   * Whether internet sockets can be made: either they lead nowhere, in a network namespace, or the command may use
   * them.
   */
  readonly internet: boolean;
  /** Whether unix sockets can be made. Connected pairs are always allowed. */
  readonly unixSockets: boolean;
  /**
   * Whether the command has process and IPC namespaces of its own, where numbers and keys reach no other process.
   * Without them, calls that take a key are denied, and calls that take a process work only on the caller itself.
   */
  readonly isolated: boolean;
}

/**
 * Returns a program for seccomp, as bytes. It allows every system call except those that could undo the sandbox or lead
 * out of it. Calls with the numbers of another architecture end the process, since the filter cannot tell them apart.
 */
export function createFilter(options: FilterOptions): Uint8Array {
  const { arch } = options;
  const rules = [
    denied(numbersOn(arch, options.isolated ? DENIED : { ...DENIED, ...IPC })),
    ...(options.isolated ? [] : Object.values(ON_ITSELF).map((call) => onItself(arch, call))),
    // The flags of clone3 are behind a pointer, which a filter cannot follow. Programs fall back to clone.
    when(INSPECTED.clone3[0], [returnValue(NOT_IMPLEMENTED)]),
    when(numberFor(arch, 'clone'), newNamespace()),
    when(numberFor(arch, 'ioctl'), typingIntoTerminals()),
    when(numberFor(arch, 'socketpair'), pairs(options)),
    when(numberFor(arch, 'socket'), sockets(options)),
  ];
  return assemble([...entry(arch), ...rules.flat(), returnValue(ALLOW)]);
}

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

const LOAD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const NOT_PERMITTED = 0x00050000 | 1;
const NOT_IMPLEMENTED = 0x00050000 | 38;

/** Offsets of the number, the architecture and the low half of an argument in the data of a call. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

const X32_NUMBERS = 0x40000000;
/** Every CLONE_NEW flag. */
const NEW_NAMESPACES = 0x7e020000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const NETLINK_ROUTE = 0;
const SOCK = { stream: 1, seqpacket: 5, mask: 0xf };

const load = (offset: number): Instruction => ({ code: LOAD, yes: 0, no: 0, value: offset });
const returnValue = (value: number): Instruction => ({ code: RETURN, yes: 0, no: 0, value });
const skip = (count: number): Instruction => ({ code: JUMP, yes: 0, no: 0, value: count });
/** Skips `yes` instructions if the loaded value is equal, and `no` if it is not. */
const ifEqual = (value: number, yes: number, no: number): Instruction => ({ code: IF_EQUAL, yes, no, value });

function entry(arch: Arch): Instruction[] {
  const known = [load(ARCHITECTURE), ifEqual(AUDIT_ARCH[arch], 1, 0), returnValue(KILL_PROCESS), load(NUMBER)];
  if (arch === 'arm64') return known;
  return [...known, { code: IF_AT_LEAST, yes: 0, no: 1, value: X32_NUMBERS }, returnValue(NOT_IMPLEMENTED)];
}

/**
 * Returns the instructions that deny some calls. All tests jump to one answer after them, at most 255 instructions
 * away.
 */
function denied(numbers: readonly number[]): Instruction[] {
  const tests = numbers.map((number, index) => ifEqual(number, numbers.length - index, 0));
  return [...tests, skip(1), returnValue(NOT_PERMITTED)];
}

/** Returns the instructions for one system call. The body must end with an answer, since it loads another value. */
function when(number: number, body: readonly Instruction[]): Instruction[] {
  return [ifEqual(number, 0, body.length), ...body];
}

/** Returns the instructions that allow a call only with arguments that mean the caller itself. */
function onItself(arch: Arch, { numbers, itself }: SelfCall): Instruction[] {
  const tests = Object.entries(itself).flatMap(([index, value]) => [
    load(argument(Number(index))),
    ifEqual(value, 1, 0),
    returnValue(NOT_PERMITTED),
  ]);
  return when(numbers[arch === 'x64' ? 0 : 1], [...tests, returnValue(ALLOW)]);
}

function newNamespace(): Instruction[] {
  const test: Instruction = { code: IF_ANY_BIT, yes: 1, no: 0, value: NEW_NAMESPACES };
  return [load(argument(0)), test, returnValue(ALLOW), returnValue(NOT_PERMITTED)];
}

function typingIntoTerminals(): Instruction[] {
  return [
    load(argument(1)),
    ifEqual(TIOCSTI, 2, 0),
    ifEqual(TIOCLINUX, 1, 0),
    returnValue(ALLOW),
    returnValue(NOT_PERMITTED),
  ];
}

/**
 * Allows connected stream pairs. Both ends of a datagram pair could still send to any address, and so to sockets of the
 * machine.
 */
function pairs({ unixSockets }: FilterOptions): Instruction[] {
  const isUnix = [load(argument(0)), ifEqual(AF.unix, 1, 0), returnValue(NOT_PERMITTED)];
  if (unixSockets) return [...isUnix, returnValue(ALLOW)];
  const type: Instruction[] = [load(argument(1)), { code: AND, yes: 0, no: 0, value: SOCK.mask }];
  return [
    ...isUnix,
    ...type,
    ifEqual(SOCK.stream, 2, 0),
    ifEqual(SOCK.seqpacket, 1, 0),
    returnValue(NOT_PERMITTED),
    returnValue(ALLOW),
  ];
}

function sockets({ internet, unixSockets }: FilterOptions): Instruction[] {
  const families = [...(internet ? [AF.inet, AF.inet6] : []), ...(unixSockets ? [AF.unix] : [])];
  const plain = families.flatMap((family) => [ifEqual(family, 0, 1), returnValue(ALLOW)]);
  const netlink = internet
    ? [ifEqual(AF.netlink, 0, 3), load(argument(2)), ifEqual(NETLINK_ROUTE, 0, 1), returnValue(ALLOW)]
    : [];
  return [load(argument(0)), ...plain, ...netlink, returnValue(NOT_PERMITTED)];
}

function numberFor(arch: Arch, name: keyof typeof INSPECTED): number {
  return INSPECTED[name][arch === 'x64' ? 0 : 1];
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, yes, no, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, yes);
    bytes.setUint8(index * 8 + 3, no);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
