import { zeroTerminated } from '../../process/zero-terminated.ts';
import type { Arch } from '../seccomp/syscalls.ts';
import { attributeSize, handledBy, scopedBy } from './access.ts';
import { SYSTEM_CALLS } from './perl-parts.ts';

/** What a command may reach. Everything without a rule is denied. */
export interface LandlockRule {
  readonly path: string;
  readonly access: number;
}

/** How a command is confined. */
export interface LandlockConfines {
  /** Of Landlock's interface. */
  readonly version: number;
  /** Whether rights of root have to be given up. */
  readonly superuser: boolean;
  readonly rules: readonly LandlockRule[];
  /** The program for seccomp. */
  readonly filter: Uint8Array;
}

/** The confines as the arguments of `confine` in perl. */
export function confineFields({ version, superuser, rules, filter }: LandlockConfines): string[] {
  const handled = handledBy(version);
  const fields = [superuser ? 1 : 0, handled, scopedBy(version), attributeSize(version)];
  // A rule may allow only what is handled.
  const pairs = rules.flatMap(({ path, access }) => [access & handled, path]);
  return [...fields, Buffer.from(filter).toString('hex'), ...pairs].map(String);
}

/**
 * What the launcher reads. `parent` is the process that starts it: if that has died by then, nothing is run. Throws
 * `ToolFailure` where a string could be taken for two.
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
