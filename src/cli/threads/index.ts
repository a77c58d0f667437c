import type { CommandTable } from '../command.ts';

/** Verbs of `oxbow threads`. */
export const verbs: CommandTable = {
  list: { summary: 'List threads, newest first', load: () => import('./list.ts') },
  show: { summary: 'Show a thread', load: () => import('./show.ts') },
  export: { summary: 'Write a thread as Markdown or JSON', load: () => import('./export.ts') },
  rename: { summary: 'Give a thread a name', load: () => import('./rename.ts') },
  compact: { summary: 'Make a thread shorter', load: () => import('./compact.ts') },
  restore: { summary: 'Restore the files from before a turn', load: () => import('./restore.ts') },
  archive: { summary: 'Archive a thread', load: () => import('./archive.ts') },
  unarchive: { summary: 'Take a thread out of the archive', load: () => import('./unarchive.ts') },
  delete: { summary: 'Delete a thread for good', load: () => import('./delete.ts') },
};
