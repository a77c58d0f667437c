import type { Tool, ToolSpec } from '../base/tool.ts';
import type { ToolSet } from '../engine/turn-setup.ts';

/** Tools by every name that a model may use for them, and those that it is told about. */
export function createToolSet(tools: readonly Tool[], offered: readonly string[]): ToolSet {
  const byName = new Map(tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])].map((name) => [name, tool])));
  const specs = offered.map((name) => byName.get(name)?.spec).filter((spec): spec is ToolSpec => spec !== undefined);
  return { offered: specs, find: (name) => byName.get(name) };
}
