import { PROTECTED_NAMES } from '../../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../../base/policy.ts';
import type { WritablePaths } from '../writable-paths.ts';
import { BASE_PROFILE, NETWORK_PROFILE } from './base-profile.ts';

/**
 * Facts that the profile depends on, besides the policy. All paths are canonical, since the system compares canonical
 * paths.
 */
export interface SeatbeltFacts extends Pick<WritablePaths, 'roots' | 'readOnly' | 'pinned'> {
  /** Paths that may not even be read. */
  readonly hidden: readonly string[];
  /** Folders where commands may have unix sockets of their own if the policy allows them: TMPDIR. */
  readonly socketFolders: readonly string[];
}

/** Part of macOS, and not searched for elsewhere. */
export const SEATBELT_PROGRAM = '/usr/bin/sandbox-exec';

/**
 * Returns the words before a command that make it run under the policy on macOS. The spawner sets the working
 * directory.
 */
export function seatbeltArgv(policy: SandboxPolicy, facts: SeatbeltFacts): string[] {
  const { profile, parameters } = seatbeltProfile(policy, facts);
  const definitions = [...parameters].flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return [SEATBELT_PROGRAM, '-p', profile, ...definitions, '--'];
}

/** Returns the words for a command that may also reach a proxy on a port of the machine. */
export function withProxyPort(argv: readonly string[], port: number): string[] {
  const rules = `(allow system-socket (socket-domain AF_INET))\n(allow network-outbound (remote ip "localhost:${port}"))\n`;
  return argv.map((word, at) => (at === PROFILE_AT ? `${word}\n${rules}` : word));
}

/** Index of the profile in the words. */
const PROFILE_AT = 2;

/** Returns the profile and its parameters. Paths are parameters: they are never part of the profile's text. */
export function seatbeltProfile(
  policy: SandboxPolicy,
  facts: SeatbeltFacts,
): { readonly profile: string; readonly parameters: ReadonlyMap<string, string> } {
  const parameters = new Map<string, string>();
  const name: Namer = (kind, path) => {
    const key = `${kind}_${parameters.size}`;
    parameters.set(key, path);
    return `(param "${key}")`;
  };
  const sections = [
    BASE_PROFILE,
    policy.mode === 'workspace-write' ? writing(facts, name) : '',
    networking(policy, facts, name),
    hiding(facts, name),
  ];
  return { profile: sections.filter((section) => section !== '').join('\n'), parameters };
}

type Namer = (kind: string, path: string) => string;

function writing({ roots, readOnly, pinned }: SeatbeltFacts, name: Namer): string {
  const excepted = readOnly.map((path) => `(require-not (subpath ${name('READ_ONLY', path)}))`);
  const allowed = roots.flatMap(({ path, children }) =>
    (children ?? [path]).map((folder) => {
      const names = protectedNames(path).map((pattern) => `(require-not (regex #"${pattern}"))`);
      return `(allow file-write* (require-all (subpath ${name('ROOT', folder)}) ${[...names, ...excepted].join(' ')}))`;
    }),
  );
  // A command that could move one of these paths away could put another in its place.
  const fixed = [...roots.map(({ path }) => path), ...pinned, ...readOnly];
  const denied = [...new Set(fixed)].map((path) => `(deny file-write-unlink (literal ${name('FIXED', path)}))`);
  // A root inside another must not undo the protection of the outer one, so each rule repeats the exceptions.
  return `${[...allowed, ...denied].join('\n')}\n`;
}

/**
 * Returns patterns for the protected names at the top of a root, in any case: the disk does not distinguish `.GIT` from
 * `.git`.
 */
function protectedNames(root: string): string[] {
  const folder = root === '/' ? '' : escapePath(root);
  return PROTECTED_NAMES.map((name) => `^${folder}/${anyCase(name)}(/.*)?$`);
}

/**
 * Escapes a path for a pattern. Characters that cannot be escaped match anything, so that more is denied rather than
 * less.
 */
function escapePath(path: string): string {
  return path.replace(/[^\w/ -]+/g, (odd) => (/^[!-~]+$/.test(odd) && !odd.includes('"') ? escapeAll(odd) : '.+'));
}

const escapeAll = (text: string) => text.replace(/./g, '\\$&');

function anyCase(name: string): string {
  return name.replace(/./g, (letter) =>
    /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : `\\${letter}`,
  );
}

function networking(policy: SandboxPolicy, { socketFolders }: SeatbeltFacts, name: Namer): string {
  if (policy.network) return NETWORK_PROFILE;
  const sockets = policy.unixSockets === 'private' ? socketFolders.flatMap((folder) => socketRules(folder, name)) : [];
  return sockets.length === 0 ? '' : `${['(allow system-socket (socket-domain AF_UNIX))', ...sockets].join('\n')}\n`;
}

function socketRules(folder: string, name: Namer): string[] {
  const parameter = name('SOCKETS', folder);
  return [
    `(allow network-bind (local unix-socket (subpath ${parameter})))`,
    `(allow network-inbound (local unix-socket (subpath ${parameter})))`,
    `(allow network-outbound (remote unix-socket (subpath ${parameter})))`,
  ];
}

/** Returns the rules for hidden paths. They come last, since the last matching rule counts. */
function hiding({ hidden }: SeatbeltFacts, name: Namer): string {
  const rules = hidden.map((path) => `(deny file-read* file-write* (subpath ${name('HIDDEN', path)}))`);
  return rules.length === 0 ? '' : `${rules.join('\n')}\n`;
}
