import { UserError } from '../base/errors.ts';
import type { Tool } from '../base/tool.ts';
import type { Config } from '../config/load-config.ts';
import type { ToolSet } from '../engine/turn-setup.ts';
import { builtInTools, COMMAND_TOOLS } from '../tools/index.ts';

/** Tools by every name that a model may use for them, and those that it is told about. */
export function createToolSet(config: Config, own: readonly Tool[]): ToolSet {
  const byName = new Map<string, Tool>();
  for (const tool of [...builtInTools, ...own]) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      if (byName.has(name)) throw new UserError(`There are two tools called "${name}".`);
      byName.set(name, tool);
    }
  }
  const builtIn: readonly string[] = [
    ...COMMAND_TOOLS[config.commandTool],
    ...(config.planTool ? ['update_plan'] : []),
  ];
  const offered = [...builtInTools.filter((tool) => builtIn.includes(tool.name)), ...own].map((tool) => tool.spec);
  return { offered, find: (name) => byName.get(name) };
}
