import type { CommandTable } from '../command.ts';

/** Verbs of `oxbow mcp`. */
export const verbs: CommandTable = {
  list: { summary: 'List the configured servers', load: () => import('./list.ts') },
  get: { summary: 'Show the settings of a server', load: () => import('./get.ts') },
  add: { summary: 'Add a server to config.toml', load: () => import('./add.ts') },
  remove: { summary: 'Remove a server from config.toml', load: () => import('./remove.ts') },
  login: { summary: 'Sign in at a server', load: () => import('./login.ts') },
  logout: { summary: 'Forget the sign-in at a server', load: () => import('./logout.ts') },
  tools: { summary: 'Start a server and list its tools', load: () => import('./tools.ts') },
  call: { summary: 'Start a server and call one of its tools', load: () => import('./call.ts') },
};
