import { PROTECTED_NAMES } from '../../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../../base/policy.ts';
import type { WritablePaths } from '../writable-paths.ts';
import { BASE_PROFILE, NETWORK_PROFILE } from './base-profile.ts';

/** What the profile depends on beside the policy. All paths are canonical: the system compares those. */
export interface SeatbeltFacts extends Pick<WritablePaths, 'roots' | 'readOnly' | 'pinned'> {
  /** What may not even be read. */
  readonly hidden: readonly string[];
  /** Where commands may have sockets of their own when the policy lets them: TMPDIR. */
  readonly socketFolders: readonly string[];
}

/** Part of macOS. Never looked for elsewhere. */
export const SEATBELT_PROGRAM = '/usr/bin/sandbox-exec';

/** The words to put before a command on macOS so that it runs under the policy. The working directory is the spawner's. */
export function seatbeltArgv(policy: SandboxPolicy, facts: SeatbeltFacts): string[] {
  const { profile, parameters } = seatbeltProfile(policy, facts);
  const definitions = [...parameters].flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return [SEATBELT_PROGRAM, '-p', profile, ...definitions, '--'];
}

/** The same words for a command that may also reach a proxy on this port of the machine. */
export function withProxyPort(argv: readonly string[], port: number): string[] {
  const rules = `(allow system-socket (socket-domain AF_INET))\n(allow network-outbound (remote ip "localhost:${port}"))\n`;
  return argv.map((word, at) => (at === PROFILE_AT ? `${word}\n${rules}` : word));
}

/** Where the profile stands in the words. */
const PROFILE_AT = 2;

/** The profile, and the paths that it refers to by name: no path is ever part of its text as it is. */
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
  // Who could move one of these away could put another in its place.
  const fixed = [...roots.map(({ path }) => path), ...pinned, ...readOnly];
  const denied = [...new Set(fixed)].map((path) => `(deny file-write-unlink (literal ${name('FIXED', path)}))`);
  // A root inside of another may not undo what that one protects, so the exceptions stand in each rule.
  return `${[...allowed, ...denied].join('\n')}\n`;
}

/** The protected names at the top of a root, there or not, in any case: the disk does not tell `.GIT` from `.git`. */
function protectedNames(root: string): string[] {
  const folder = root === '/' ? '' : escapePath(root);
  return PROTECTED_NAMES.map((name) => `^${folder}/${anyCase(name)}(/.*)?$`);
}

/** What cannot be written in a pattern matches anything: more is denied then, not less. */
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

/** Last, since the last rule that fits counts. */
function hiding({ hidden }: SeatbeltFacts, name: Namer): string {
  const rules = hidden.map((path) => `(deny file-read* file-write* (subpath ${name('HIDDEN', path)}))`);
  return rules.length === 0 ? '' : `${rules.join('\n')}\n`;
}
