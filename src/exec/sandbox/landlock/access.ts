/** What Landlock can tell apart, by the version of its interface that brought it. */
const VERSIONS: readonly (readonly [version: number, bits: number])[] = [
  [1, 0x1fff],
  [2, 1 << 13],
  [3, 1 << 14],
  [5, 1 << 15],
];

const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const MAKE_CHAR = 1 << 6;
const MAKE_BLOCK = 1 << 11;
const TRUNCATE = 1 << 14;
const IOCTL_DEV = 1 << 15;

/** What a rule may allow. */
export const ACCESS = {
  read: EXECUTE | READ_FILE | READ_DIR,
  list: READ_DIR,
  /** Everything but reading, and but making devices. */
  write: 0xffff & ~(EXECUTE | READ_FILE | READ_DIR | MAKE_CHAR | MAKE_BLOCK),
  device: READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | IOCTL_DEV,
};

/** The part of an access that means something for a file that is no folder; with any other the kernel refuses the rule. */
export const FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** All that a version of Landlock can keep from a command. */
export function handledBy(version: number): number {
  return VERSIONS.filter(([since]) => since <= version).reduce((bits, [, more]) => bits | more, 0);
}

/** From the sixth version on: no abstract unix sockets of others, no signals to others. */
export function scopedBy(version: number): number {
  return version >= 6 ? 0b11 : 0;
}

/** How many bytes of the ruleset's description a version knows. */
export function attributeSize(version: number): number {
  if (version >= 6) return 24;
  return version >= 4 ? 16 : 8;
}
