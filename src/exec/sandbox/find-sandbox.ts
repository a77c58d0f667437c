import { isExecutable } from '../process/is-executable.ts';
import { findPrograms, type ProgramSearch } from './find-programs.ts';
import { type BubblewrapVariant, createProbes, type SandboxProbes } from './probes.ts';
import { SEATBELT_PROGRAM } from './seatbelt/seatbelt.ts';
import type { Arch } from './seccomp/syscalls.ts';

/** The sandbox that keeps commands inside the policy on this machine. */
export type FoundSandbox =
  | ({ readonly type: 'bubblewrap'; readonly arch: Arch } & BubblewrapVariant)
  /** `why`: the reason why bubblewrap is not used instead. */
  | {
      readonly type: 'landlock';
      readonly arch: Arch;
      readonly perl: string;
      /** Version of Landlock's interface. Later versions can deny more. */
      readonly version: number;
      readonly superuser: boolean;
      readonly why: string;
    }
  /** The sandbox of macOS. */
  | { readonly type: 'seatbelt' }
  | {
      readonly type: 'none';
      /** The sandboxes that were tried, each with the reason why it does not work. */
      readonly why: string;
      /** `rights`: bubblewrap exists, and its message names the right that it lacks. */
      readonly lacks: 'bubblewrap' | 'system' | 'processor' | 'rights';
      /** Message of bubblewrap alone. */
      readonly bubblewrap: string;
    };

export interface FindSandboxOptions extends Omit<ProgramSearch, 'first'> {
  /** Path at which systems install bubblewrap. Tried first, since only there bubblewrap may have privileges. */
  readonly bubblewrap?: string;
  /** Path at which systems install perl. */
  readonly perl?: string;
  /** Path of the program of macOS. For tests. */
  readonly seatbelt?: string;
  readonly signal: AbortSignal;
  /** Replaced probes of the machine. For tests. */
  readonly probes?: Partial<SandboxProbes>;
  readonly platform?: NodeJS.Platform;
  readonly processor?: string;
  readonly superuser?: boolean;
}

/** Sandboxes that work. They are remembered until this process ends, for all threads. */
const known = new Map<string, FoundSandbox>();

/**
 * Looks for the best sandbox that works here: bubblewrap, bubblewrap without the parts that containers forbid,
 * Landlock. Each is tried as commands will use it. Never rejects.
 */
export async function findSandbox(options: FindSandboxOptions): Promise<FoundSandbox> {
  const isReal = options.probes === undefined;
  const key = JSON.stringify([options.bubblewrap, options.perl, options.path, options.untrustedFolders]);
  const remembered = isReal ? known.get(key) : undefined;
  if (remembered !== undefined) return remembered;
  const found = await search(options);
  if (isReal && found.type !== 'none') known.set(key, found);
  return found;
}

async function search(options: FindSandboxOptions): Promise<FoundSandbox> {
  const { platform = process.platform, processor = process.arch } = options;
  if (platform === 'darwin' && isExecutable(options.seatbelt ?? SEATBELT_PROGRAM)) return { type: 'seatbelt' };
  // Mostly Windows.
  if (platform !== 'linux')
    return { type: 'none', why: 'only Linux and macOS have one', lacks: 'system', bubblewrap: '' };
  if (processor !== 'x64' && processor !== 'arm64') {
    const why = `there is no filter of system calls for ${processor} processors`;
    return { type: 'none', why: `bubblewrap: ${why}; Landlock: ${why}`, lacks: 'processor', bubblewrap: '' };
  }
  const { superuser = process.geteuid?.() === 0 } = options;
  const probes = { ...createProbes(processor, superuser, options.signal), ...options.probes };
  const bubblewrap = await findBubblewrap(options, superuser, probes);
  if (typeof bubblewrap === 'object') return { type: 'bubblewrap', arch: processor, ...bubblewrap };
  const landlock = await findLandlock(options, probes);
  const said = bubblewrap ?? 'not found';
  if (typeof landlock !== 'string') return { type: 'landlock', arch: processor, superuser, why: said, ...landlock };
  const why = `bubblewrap: ${said}; Landlock: ${landlock}`;
  return { type: 'none', why, lacks: bubblewrap === undefined ? 'bubblewrap' : 'rights', bubblewrap: said };
}

/** Returns a variant that works, or the message of the first attempt; undefined when there is no bubblewrap. */
async function findBubblewrap(
  options: FindSandboxOptions,
  superuser: boolean,
  probes: SandboxProbes,
): Promise<BubblewrapVariant | string | undefined> {
  let why: string | undefined;
  for (const program of findPrograms('bwrap', { ...options, first: options.bubblewrap })) {
    let variant: BubblewrapVariant | undefined = { program, mountProc: true, userNamespace: true, superuser };
    while (variant !== undefined) {
      const line = await probes.bubblewrap(variant);
      if (line === undefined) return variant;
      why ??= line;
      variant = weaker(variant, line);
    }
  }
  return why;
}

/** Messages of a bwrap that may not make a user namespace. Only root can do without one. */
const USER_NAMESPACE_REFUSED = [
  'No permissions to create new namespace',
  'namespaces exceeded',
  'Creating new namespace failed',
  'setting up uid map',
];

function weaker(variant: BubblewrapVariant, line: string): BubblewrapVariant | undefined {
  if (variant.mountProc && line.includes("Can't mount proc")) return { ...variant, mountProc: false };
  const refused = USER_NAMESPACE_REFUSED.some((said) => line.includes(said));
  return refused && variant.userNamespace && variant.superuser ? { ...variant, userNamespace: false } : undefined;
}

async function findLandlock(
  options: FindSandboxOptions,
  probes: SandboxProbes,
): Promise<{ readonly perl: string; readonly version: number } | string> {
  const [perl] = findPrograms('perl', { ...options, first: options.perl });
  if (perl === undefined) return 'perl, which applies it, was not found';
  const version = await probes.landlockVersion(perl);
  if (typeof version === 'string') return version;
  const line = await probes.landlock(perl, version);
  return line === undefined ? { perl, version } : line;
}
