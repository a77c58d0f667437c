import { hasProgram } from './run-agent.ts';

/** Hides programs from the program that is started, in a mount namespace of its own. Needs root. */
function without(...programs: string[]): readonly string[] {
  const mounts = programs.map((program) => `mount --bind /dev/null ${program}`);
  return ['unshare', '--mount', '/bin/sh', '-c', `${mounts.join(' && ')} && exec "$0" "$@"`];
}

type Backend = readonly [name: string, wrap: readonly string[]];

const isLinux = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const canHide = isLinux && process.getuid?.() === 0 && hasProgram('unshare');

/** The sandboxes in which the real program can be run here, each with the command that starts the program. */
export const BACKENDS: readonly Backend[] = [
  ...(isLinux ? ([['bubblewrap', []]] as const) : []),
  ...(canHide ? ([['Landlock', without('/usr/bin/bwrap')]] as const) : []),
];

/** The same, and a machine without a sandbox. */
export const BACKENDS_AND_NONE: readonly Backend[] = [
  ...BACKENDS,
  ...(canHide ? ([['no sandbox', without('/usr/bin/bwrap', '/usr/bin/perl')]] as const) : []),
];
