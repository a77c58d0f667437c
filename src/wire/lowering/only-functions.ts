import { isRecord } from '../../base/json-schema.ts';
import { isUntyped } from '../fields/decode-tool.ts';

/** Reports whether the tools of a request are all functions. */
export function hasOnlyFunctions(tools: unknown): boolean {
  return !Array.isArray(tools) || tools.every((tool) => !isRecord(tool) || tool.type === 'function' || isUntyped(tool));
}
