import type { ToolFacts } from '../tool-entry.ts';

/** Spec without a description: models that have this tool were trained with it. */
export const localShellFacts = {
  name: 'local_shell',
  accepts: ['local_shell', 'function'],
  spec: { type: 'local_shell' },
  parallel: true,
  offer: ({ command }) => command === 'local_shell',
} as const satisfies ToolFacts;
