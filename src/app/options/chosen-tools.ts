import { UserError } from '../../base/errors.ts';
import type { BuiltInTool } from '../../base/tool.ts';

const ALL: readonly BuiltInTool[] = ['shell', 'update_plan', 'apply_patch', 'view_image', 'web_search'];

/** Returns the built-in tools that an embedding program chose. Throws `UserError` for one that does not exist. */
export function chosenTools(chosen: 'all' | 'none' | readonly BuiltInTool[] = 'all'): ReadonlySet<BuiltInTool> {
  if (chosen === 'all') return new Set(ALL);
  const names = chosen === 'none' ? [] : chosen;
  const unknown = names.find((name) => !ALL.includes(name));
  if (unknown === undefined) return new Set(names);
  const all = ALL.join(', ');
  throw new UserError('invalid_input', `There is no built-in tool "${unknown}". The built-in tools are ${all}.`);
}
