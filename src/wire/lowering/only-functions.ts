import { isRecord } from '../../base/json-schema.ts';

/** Whether a list of tools, as a request has it, holds functions and nothing else. */
export function hasOnlyFunctions(tools: unknown): boolean {
  return !Array.isArray(tools) || tools.every((tool) => !isRecord(tool) || tool.type === 'function');
}
