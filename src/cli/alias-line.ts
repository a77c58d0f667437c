import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { quoteArgv } from '../shell/quote.ts';

/**
 * Returns the lines to type before `oxbow` is found. Empty when the PATH has it. `started` is the file that this
 * process was started with.
 */
export function aliasLine(path = '', started = ''): string[] {
  const onPath = path.split(':').some((folder) => isAbsolute(folder) && existsSync(join(folder, 'oxbow')));
  return onPath || !started.endsWith('/oxbow') ? [] : [`alias oxbow=${quoteArgv([started])}`];
}
