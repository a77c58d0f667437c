import type { ToolSpec } from '../base/tool.ts';
import type { WireName } from '../base/wire.ts';
import { undeclaredParts } from './chat/declared-tools.ts';

/** The tools that a wire has no form for, by name or kind: requests go without them. */
export function unsentTools(wire: WireName, tools: readonly ToolSpec[]): readonly string[] {
  return wire === 'responses' ? [] : [...new Set(tools.flatMap(undeclaredParts))];
}
