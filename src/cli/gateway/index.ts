import type { CommandTable } from '../command.ts';

/** Verbs of `oxbow gateway`. */
export const verbs: CommandTable = {
  run: { summary: 'Run a program with a gateway of its own', load: () => import('./run.ts') },
  use: { summary: 'Switch running gateways to another provider', load: () => import('./use.ts') },
  status: { summary: 'List the running gateways', load: () => import('./status.ts') },
  models: { summary: 'List the models that clients may ask for', load: () => import('./models.ts') },
  clients: { summary: 'List the clients that --for knows', load: () => import('./clients.ts') },
};
