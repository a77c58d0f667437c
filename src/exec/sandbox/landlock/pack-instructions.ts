import { zeroTerminated } from '../../process/zero-terminated.ts';
import type { Arch } from '../seccomp/syscalls.ts';
import { attributeSize, handledBy, scopedBy } from './access.ts';
import { SYSTEM_CALLS } from './perl-parts.ts';

/** A way to use Landlock. */
export interface LandlockVariant {
  /** Program that applies it. */
  readonly perl: string;
  /** Version of Landlock's interface. Later versions can deny more. */
  readonly version: number;
}

/** A path that a command may reach. Paths without a rule are denied. */
export interface LandlockRule {
  /** Absolute path, or the number of a descriptor of the command. */
  readonly path: string | number;
  readonly access: number;
}

/** The confinement of a command. */
export interface LandlockConfines {
  /** Version of Landlock's interface. */
  readonly version: number;
  /** Whether the command has to drop the rights of root. */
  readonly superuser: boolean;
  readonly rules: readonly LandlockRule[];
  /** Program for seccomp. Undefined where the command has its filter already. */
  readonly filter: Uint8Array | undefined;
}

/** Returns the arguments of `confine` in perl. */
export function confineFields({ version, superuser, rules, filter }: LandlockConfines): string[] {
  const handled = handledBy(version);
  // Inside bubblewrap, namespaces limit signals and sockets.
  const scoped = filter === undefined ? 0 : scopedBy(version);
  const fields = [superuser ? 1 : 0, handled, scoped, attributeSize(version)];
  // A rule may allow only rights that the ruleset handles.
  const pairs = rules.flatMap(({ path, access }) => [access & handled, path]);
  return [...fields, Buffer.from(filter ?? []).toString('hex'), ...pairs].map(String);
}

/**
 * Returns the instructions for the launcher. `parent` is the process that starts the launcher: if it has died by then,
 * the command is not run. Throws `ToolFailure` for a string with a zero byte.
 */
export function packInstructions(
  arch: Arch,
  parent: number,
  fields: readonly string[],
  variables: Readonly<Record<string, string>>,
): Uint8Array {
  const entries = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return zeroTerminated([SYSTEM_CALLS[arch], String(parent), String(fields.length), ...fields, ...entries]);
}
