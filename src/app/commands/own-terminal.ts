export { createTerminalWriter } from '../../exec/terminal/create-terminal-writer.ts';
export type { TerminalWatch } from '../../exec/terminal/watch-terminal.ts';

/** Loads the watch over a terminal, which the first frame does not wait for. */
export const loadWatch = () => import('../../exec/terminal/watch-terminal.ts');
