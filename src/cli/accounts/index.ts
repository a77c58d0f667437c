import type { CommandTable } from '../command.ts';

/** Verbs of `oxbow accounts`. */
export const verbs: CommandTable = {
  list: { summary: 'List the accounts and their sign-ins', load: () => import('./list.ts') },
  use: { summary: 'Choose the account that is used', load: () => import('./use.ts') },
  remove: { summary: 'Sign out of an account and forget it', load: () => import('./remove.ts') },
};
