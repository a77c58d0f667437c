import { quoteArgv } from './quote.ts';

/** Returns the command that people want to read: `ls` for `bash -c 'ls'`. */
export function shownCommand(argv: readonly string[]): string {
  const [program = '', flag, script] = argv;
  const isScript = argv.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(program) && (flag === '-c' || flag === '-lc');
  return isScript && script !== undefined ? script : quoteArgv(argv);
}
