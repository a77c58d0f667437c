import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import type { Fields } from '../fields/request-fields.ts';
import { PROMPT_AND_COMPLETION, readUsage as read, writeUsage as write } from '../fields/token-usage.ts';

export const readUsage = (value: unknown): Usage | null => read(value, PROMPT_AND_COMPLETION);
export const writeUsage = (usage: Usage): object => write(usage, PROMPT_AND_COMPLETION);

/**
 * Returns the usage in a field of the server's own, whose name begins with `x_`. A client that did not ask for the usage
 * gets it only there.
 */
export function extensionUsage(chunk: Fields): Usage | null {
  for (const name in chunk) {
    if (!name.startsWith('x_')) continue;
    const value = chunk[name];
    if (isRecord(value) && isRecord(value.usage)) return readUsage(value.usage);
  }
  return null;
}
