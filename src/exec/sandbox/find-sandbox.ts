import type { SandboxBackend } from '../../base/policy.ts';
import { isExecutable } from '../process/is-executable.ts';
import { findPrograms, type ProgramSearch } from './find-programs.ts';
import type { LandlockVariant } from './landlock/pack-instructions.ts';
import { type BubblewrapVariant, createProbes, type SandboxProbes } from './probes.ts';
import { SEATBELT_PROGRAM } from './seatbelt/seatbelt.ts';
import type { Arch } from './seccomp/syscalls.ts';

/** The sandbox that keeps commands inside the policy on this machine. */
export type FoundSandbox =
  | ({ readonly type: 'bubblewrap'; readonly arch: Arch } & BubblewrapVariant)
  | ({
      readonly type: 'landlock';
      readonly arch: Arch;
      readonly superuser: boolean;
      /** The reason why bubblewrap is not used instead. Undefined where the user chose Landlock. */
      readonly why: string | undefined;
    } & LandlockVariant)
  /** The sandbox of macOS. */
  | { readonly type: 'seatbelt' }
  | {
      readonly type: 'none';
      /** The sandboxes that were tried, each with the reason why it does not work. */
      readonly why: string;
      /** `rights`: bubblewrap exists, and its message names the right that it lacks. */
      readonly lacks: 'bubblewrap' | 'system' | 'processor' | 'rights' | 'choice';
      /** Message of bubblewrap alone. */
      readonly bubblewrap: string;
    };

export interface FindSandboxOptions extends Omit<ProgramSearch, 'first'> {
  /** Path at which systems install bubblewrap. Tried first, since only there bubblewrap may have privileges. */
  readonly bubblewrap?: string;
  /** The sandbox that the user chose. */
  readonly backend?: SandboxBackend | undefined;
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
 * Landlock. Each is tried as commands will use it. Rejects where the system lacks something for now: a search without it
 * would find a weaker sandbox, or none.
 */
export async function findSandbox(options: FindSandboxOptions): Promise<FoundSandbox> {
  const isReal = options.probes === undefined;
  const key = JSON.stringify([
    options.backend,
    options.bubblewrap,
    options.perl,
    options.path,
    options.untrustedFolders,
  ]);
  const remembered = isReal ? known.get(key) : undefined;
  if (remembered !== undefined) return remembered;
  const found = await search(options);
  if (isReal && found.type !== 'none') known.set(key, found);
  return found;
}

async function search(options: FindSandboxOptions): Promise<FoundSandbox> {
  const { platform = process.platform, processor = process.arch, backend } = options;
  const seatbelt = platform === 'darwin' && isExecutable(options.seatbelt ?? SEATBELT_PROGRAM);
  if (seatbelt && backend === undefined) return { type: 'seatbelt' };
  // Mostly Windows.
  if (platform !== 'linux') {
    const why = seatbelt ? `sandbox_backend is "${backend}", which only Linux has` : 'only Linux and macOS have one';
    return { type: 'none', why, lacks: seatbelt ? 'choice' : 'system', bubblewrap: '' };
  }
  if (processor !== 'x64' && processor !== 'arm64') {
    const why = `there is no filter of system calls for ${processor} processors`;
    return { type: 'none', why: `bubblewrap: ${why}; Landlock: ${why}`, lacks: 'processor', bubblewrap: '' };
  }
  const { superuser = process.geteuid?.() === 0 } = options;
  const probes = { ...createProbes(processor, superuser, options.signal), ...options.probes };
  const facts = { arch: processor, superuser } as const;
  const landlock = await findLandlock(options, probes);
  if (backend === 'landlock') return chosenLandlock(facts, await tryLandlock(landlock, probes));
  const bubblewrap = await findBubblewrap({ ...options, superuser }, landlock, probes);
  if (typeof bubblewrap === 'object') return { type: 'bubblewrap', ...facts, ...bubblewrap };
  const said = bubblewrap ?? 'not found';
  const lacks = bubblewrap === undefined ? 'bubblewrap' : 'rights';
  if (backend === 'bubblewrap') {
    const why = `sandbox_backend is "bubblewrap", and bubblewrap does not work here: ${said}`;
    return { type: 'none', why, lacks, bubblewrap: said };
  }
  const alone = await tryLandlock(landlock, probes);
  if (typeof alone !== 'string') return { type: 'landlock', ...facts, why: said, ...alone };
  return { type: 'none', why: `bubblewrap: ${said}; Landlock: ${alone}`, lacks, bubblewrap: said };
}

function chosenLandlock(
  facts: { readonly arch: Arch; readonly superuser: boolean },
  landlock: LandlockVariant | string,
): FoundSandbox {
  if (typeof landlock !== 'string') return { type: 'landlock', ...facts, why: undefined, ...landlock };
  const why = `sandbox_backend is "landlock", and Landlock does not work here: ${landlock}`;
  return { type: 'none', why, lacks: 'choice', bubblewrap: '' };
}

/** The first version that lets files move between folders. With an older one, bubblewrap is better off alone. */
const OLDEST_INNER = 2;

/** Returns a variant that works, or the message of the first attempt; undefined when there is no bubblewrap. */
async function findBubblewrap(
  options: FindSandboxOptions & { readonly superuser: boolean },
  landlock: LandlockVariant | string,
  probes: SandboxProbes,
): Promise<BubblewrapVariant | string | undefined> {
  const inner = typeof landlock === 'object' && landlock.version >= OLDEST_INNER ? { landlock } : {};
  const whole = { mountProc: true, userNamespace: true, superuser: options.superuser, ...inner };
  let why: string | undefined;
  for (const program of findPrograms('bwrap', { ...options, first: options.bubblewrap })) {
    let variant: BubblewrapVariant | undefined = { program, ...whole };
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
  if (USER_NAMESPACE_REFUSED.some((said) => line.includes(said))) {
    return variant.userNamespace && variant.superuser ? { ...variant, userNamespace: false } : undefined;
  }
  const { landlock, ...rest } = variant;
  return landlock === undefined ? undefined : rest;
}

/** Returns the version of Landlock and the program that applies it, or why there is none. */
async function findLandlock(options: FindSandboxOptions, probes: SandboxProbes): Promise<LandlockVariant | string> {
  const [perl] = findPrograms('perl', { ...options, first: options.perl });
  if (perl === undefined) return 'perl, which applies it, was not found';
  const version = await probes.landlockVersion(perl);
  return typeof version === 'string' ? version : { perl, version };
}

async function tryLandlock(found: LandlockVariant | string, probes: SandboxProbes): Promise<LandlockVariant | string> {
  if (typeof found === 'string') return found;
  return (await probes.landlock(found.perl, found.version)) ?? found;
}
