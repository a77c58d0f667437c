/** Access rights that Landlock knows, by the version of its interface that added them. */
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

/** Access that a rule may allow. */
export const ACCESS = {
  read: EXECUTE | READ_FILE | READ_DIR,
  list: READ_DIR,
  /** Everything except reading and making devices. */
  write: 0xffff & ~(EXECUTE | READ_FILE | READ_DIR | MAKE_CHAR | MAKE_BLOCK),
  device: READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | IOCTL_DEV,
};

/** Rights that apply to a file. The kernel refuses a rule for a file with any other right. */
export const FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** Returns all rights that a version of Landlock can deny. */
export function handledBy(version: number): number {
  return VERSIONS.filter(([since]) => since <= version).reduce((bits, [, more]) => bits | more, 0);
}

/**
 * Returns the scopes that a version of Landlock can enforce. Since version 6: no abstract unix sockets of other
 * processes, no signals to them.
 */
export function scopedBy(version: number): number {
  return version >= 6 ? 0b11 : 0;
}

/** Returns the size of the ruleset's description that a version of Landlock knows, in bytes. */
export function attributeSize(version: number): number {
  if (version >= 6) return 24;
  return version >= 4 ? 16 : 8;
}
