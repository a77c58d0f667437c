import type { CommandTable } from '../command.ts';

/** Verbs of `oxbow login`. */
export const verbs: CommandTable = {
  status: { summary: 'Show which credentials are used', load: () => import('./status.ts') },
};
