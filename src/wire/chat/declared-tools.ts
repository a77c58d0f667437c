import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';

type FunctionSpec = Extract<ToolSpec, { type: 'function' }>;
type CustomSpec = Extract<ToolSpec, { type: 'custom' }>;

/** What a function of this wire stands for. */
export type DeclaredTool =
  | { readonly kind: 'function'; readonly spec: FunctionSpec; readonly namespace?: string }
  | { readonly kind: 'custom'; readonly spec: CustomSpec }
  | { readonly kind: 'local_shell' };

/** The function that stands for the command tool which servers know by themselves. */
export const LOCAL_SHELL_NAME = 'shell';

/** The tools that this wire can carry, by the names of their functions. Tools that the server would run are left out. */
export function declaredTools(tools: readonly ToolSpec[]): ReadonlyMap<string, DeclaredTool> {
  const declared = new Map<string, DeclaredTool>();
  for (const [name, tool] of tools.flatMap(functionsOf)) {
    const known = declared.get(name);
    // Two functions of one name are refused by servers; a tool that was declared as such is the better one.
    if (known === undefined || known.kind === 'local_shell') declared.set(name, tool);
  }
  return declared;
}

/** The name of a tool inside of a namespace, as one word. */
export function flatName(namespace: string, name: string): string {
  return `${namespace}__${name}`;
}

type Entry = readonly [name: string, tool: DeclaredTool];

function functionsOf(tool: ToolSpec): readonly Entry[] {
  switch (tool.type) {
    case 'function':
      return [[tool.name, { kind: 'function', spec: tool }]];
    case 'custom':
      return [[tool.name, { kind: 'custom', spec: tool }]];
    case 'local_shell':
      return [[LOCAL_SHELL_NAME, { kind: 'local_shell' }]];
    case 'namespace':
      return membersOf(tool);
    default:
      return [];
  }
}

function membersOf({ name: namespace, tools }: Readonly<Record<string, unknown>>): readonly Entry[] {
  if (typeof namespace !== 'string' || !Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown): readonly Entry[] => {
    if (!isRecord(tool) || typeof tool.name !== 'string') return [];
    const name = flatName(namespace, tool.name);
    if (tool.type === 'function') return [[name, { kind: 'function', spec: functionSpec(tool, tool.name), namespace }]];
    if (tool.type === 'custom') return [[name, { kind: 'custom', spec: customSpec(tool, name) }]];
    return [];
  });
}

function functionSpec(tool: Readonly<Record<string, unknown>>, name: string): FunctionSpec {
  return {
    type: 'function',
    name,
    description: descriptionOf(tool),
    strict: tool.strict === true,
    parameters: isRecord(tool.parameters) ? tool.parameters : {},
  };
}

/** A custom call has no field for a namespace, so the flat name stays its name. */
function customSpec(tool: Readonly<Record<string, unknown>>, name: string): CustomSpec {
  const format = isRecord(tool.format) ? { format: tool.format } : {};
  return { type: 'custom', name, description: descriptionOf(tool), ...format };
}

function descriptionOf({ description }: Readonly<Record<string, unknown>>): string {
  return typeof description === 'string' ? description : '';
}
