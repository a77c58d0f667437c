import { isInside } from '../../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../../base/policy.ts';
import type { Launch } from '../../process/launch.ts';
import type { FoundSandbox } from '../find-sandbox.ts';
import type { PresentPlaces } from '../places.ts';
import { createFilter } from '../seccomp/create-filter.ts';
import { childrenOf, findWritablePaths, isProtectedIn, type WritableRoot } from '../writable-paths.ts';
import { findRules } from './find-rules.ts';
import type { Guard } from './guard.ts';
import { LAUNCHER } from './launcher.ts';
import { confineFields, packInstructions } from './pack-instructions.ts';

export interface LandlockCommand {
  readonly policy: SandboxPolicy;
  readonly places: PresentPlaces;
  readonly argv: readonly string[];
  readonly sandbox: FoundSandbox & { readonly type: 'landlock' };
  readonly guard: Guard;
  /** Shows a note to the user, each once. */
  tell(note: string): void;
}

/**
 * Returns the launch of a command under Landlock and a seccomp filter. Throws `ToolFailure` where the command cannot be
 * confined.
 */
export function createLandlockLaunch({ policy, places, argv, sandbox, guard, tell }: LandlockCommand): Launch {
  const { arch, perl, superuser, version } = sandbox;
  if (policy.unixSockets === 'private') tell(NO_PRIVATE_SOCKETS);
  const paths = findWritablePaths(places);
  paths.notes.forEach(tell);
  const { hidden, awaited, home } = places;
  // Oxbow itself writes to its home while commands run.
  const guarded = paths.readOnly.filter((path) => path !== home);
  const hiddenPaths = hidden.map(({ path }) => path);
  const unguarded = guard.begin([...guarded, ...paths.absent], hiddenPaths);
  try {
    const roots = paths.roots.map((root) => withoutUnguarded(root, unguarded, tell));
    const kept = [...hiddenPaths, ...(home === undefined ? [] : [home])];
    for (const path of kept.filter((path) => roots.some((root) => isInside(path, root.path)))) tell(keptNote(path));
    const filter = createFilter({ arch, internet: policy.network, unixSockets: false, isolated: false });
    const rules = findRules({ roots, kept, hidden, awaited, superuser });
    const fields = confineFields({ version, superuser, rules, filter });
    const launcher = [perl, '-e', LAUNCHER, '--'];
    return {
      argv: [...launcher, ...argv],
      commandAt: launcher.length,
      descriptors: [(variables) => packInstructions(arch, process.pid, fields, variables)],
      env: {},
      supervises: true,
      confine: fields,
      end: guard.end,
    };
  } catch (error) {
    guard.end();
    throw error;
  }
}

const NO_PRIVATE_SOCKETS =
  'Commands get no unix sockets: unix_sockets = "private" needs bubblewrap, since Landlock cannot hide those of the machine.';

function keptNote(path: string): string {
  return (
    `${path} lies in a writable folder, and Landlock can keep it from commands only together with the folders above it: ` +
    'commands can write to what is in these, but make, rename and delete nothing directly in them.'
  );
}

/** Returns the root with its top level read-only, if it contains a path that is too large to be guarded. */
function withoutUnguarded(
  root: WritableRoot,
  unguarded: readonly string[],
  tell: (note: string) => void,
): WritableRoot {
  const path = unguarded.find((candidate) => isProtectedIn(candidate, root.path));
  if (path === undefined || root.children !== undefined) return root;
  tell(
    `${path} holds too much to be guarded. So that no command can change it, commands can write to what is in ${root.path}, ` +
      'but make, rename and delete nothing directly in it.',
  );
  return { path: root.path, children: childrenOf(root.path) };
}
