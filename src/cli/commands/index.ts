import type { Command } from '../command.ts';

export const commands: Readonly<Record<string, Command>> = {
  exec: { summary: 'Run one turn and print the answer', load: () => import('./exec.ts') },
};
