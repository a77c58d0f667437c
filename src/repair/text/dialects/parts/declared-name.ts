import { resolveName } from '../../../tool-names.ts';
import type { Tools } from './reading.ts';

/** Returns the declared tool that a name in a text means. */
export function declaredName(name: string | undefined, tools: Tools): string | undefined {
  if (name === undefined || tools.has(name)) return name;
  return resolveName(name, tools);
}
