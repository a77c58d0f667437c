import { ToolFailure } from '../../../base/errors.ts';
import type { SandboxPolicy } from '../../../base/policy.ts';
import type { Launch } from '../../process/launch.ts';
import type { FoundSandbox } from '../find-sandbox.ts';
import { createFilter } from '../seccomp/create-filter.ts';
import { canonical, childrenOf, findWritablePaths, isProtectedIn, type WritableRoot } from '../writable-paths.ts';
import { findRules } from './find-rules.ts';
import type { Guard } from './guard.ts';
import { LAUNCHER } from './launcher.ts';
import { confineFields, packInstructions } from './pack-instructions.ts';

export interface LandlockCommand {
  readonly policy: SandboxPolicy;
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
export function createLandlockLaunch({ policy, argv, sandbox, guard, tell }: LandlockCommand): Launch {
  const { arch, perl, superuser, version } = sandbox;
  if (policy.unixSockets === 'private') tell(NO_PRIVATE_SOCKETS);
  const paths = findWritablePaths(policy.mode === 'workspace-write' ? policy.writableRoots : []);
  paths.notes.forEach(tell);
  const hidden = (policy.denyRead ?? []).map(canonical).filter((path) => path !== undefined);
  const unguarded = guard.begin([...paths.readOnly, ...paths.absent], hidden);
  try {
    const roots = paths.roots.map((root) => withoutUnguarded(root, unguarded, tell));
    if (hidden.includes('/')) throw new ToolFailure('permission', 'No command can run: deny_read names the folder /.');
    const filter = createFilter({ arch, internet: policy.network, unixSockets: false, isolated: false });
    const fields = confineFields({ version, superuser, rules: findRules({ roots, hidden, superuser }), filter });
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
