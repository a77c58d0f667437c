import type { ToolFacts } from '../tool-entry.ts';

/** Models that have this tool were trained with it: nothing is said of it but that it is there. */
export const localShellFacts = {
  name: 'local_shell',
  accepts: ['local_shell', 'function'],
  spec: { type: 'local_shell' },
  parallel: true,
  offer: ({ command }) => command === 'local_shell',
} as const satisfies ToolFacts;
