import { hasProgram } from './run-agent.ts';

/** Hides bubblewrap from the program that is started, in a mount namespace of its own. Needs root. */
const WITHOUT_BUBBLEWRAP = [
  'unshare',
  '--mount',
  '/bin/sh',
  '-c',
  'mount --bind /dev/null /usr/bin/bwrap && exec "$0" "$@"',
];

/** The sandboxes in which the real program can be run here, each with the command that starts the program. */
export const BACKENDS: readonly (readonly [name: string, wrap: readonly string[]])[] =
  process.platform === 'linux' && hasProgram('bwrap')
    ? [
        ['bubblewrap', []],
        ...(process.getuid?.() === 0 && hasProgram('unshare') ? ([['Landlock', WITHOUT_BUBBLEWRAP]] as const) : []),
      ]
    : [];
