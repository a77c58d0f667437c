import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { flatName, toolKey } from './flat-name.ts';

type FunctionSpec = Extract<ToolSpec, { type: 'function' }>;
type CustomSpec = Extract<ToolSpec, { type: 'custom' }>;

/** The tool that a function stands for on a wire that has only functions. */
export type DeclaredTool =
  | { readonly kind: 'function'; readonly spec: FunctionSpec; readonly namespace?: string }
  | { readonly kind: 'custom'; readonly spec: CustomSpec; readonly namespace?: string }
  | { readonly kind: 'local_shell' };

/** Name of the function that stands for the local shell, a tool that servers know by its type. */
export const LOCAL_SHELL_NAME = 'shell';

/**
 * Returns the tools that can be sent as functions, by the names of these functions. Tools that the server runs are left
 * out.
 */
export function declaredTools(tools: readonly ToolSpec[]): ReadonlyMap<string, DeclaredTool> {
  if (tools.length === 0) return NONE;
  const declared = new Map<string, DeclaredTool>();
  for (const [name, tool] of tools.flatMap(functionsOf)) {
    const known = declared.get(name);
    // Servers refuse two functions of one name. A declared function wins over the local shell.
    if (known === undefined || known.kind === 'local_shell') declared.set(name, tool);
    else if (isOther(tool, known)) declared.set(freeName(name, declared), tool);
  }
  return declared;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

const renamed = new WeakMap<readonly ToolSpec[], ReadonlyMap<string, string>>();

/** Returns the functions whose names differ from those that `flatName` returns, by the keys of their tools. */
export function renamedTools(tools: readonly ToolSpec[]): ReadonlyMap<string, string> {
  if (tools.length === 0) return NONE;
  let names = renamed.get(tools);
  if (names === undefined) {
    const entries = Array.from(declaredTools(tools)).flatMap(([name, tool]): readonly [string, string][] => {
      if (tool.kind === 'local_shell' || flatName(tool.namespace, tool.spec.name) === name) return [];
      return [[toolKey(tool.namespace, tool.spec.name), name]];
    });
    names = new Map(entries);
    renamed.set(tools, names);
  }
  return names;
}

/** Returns the parts of a tool that cannot be sent as functions, by name or kind. */
export function undeclaredParts(tool: ToolSpec): readonly string[] {
  const { name: namespace, tools: members }: Fields = tool.type === 'namespace' ? tool : {};
  if (typeof namespace !== 'string' || !Array.isArray(members)) {
    return functionsOf(tool).length > 0 ? [] : [labelOf(tool)];
  }
  const unsent = members.filter((member: unknown) => memberEntries(member, namespace).length === 0);
  return unsent.map((member: unknown) => `${labelOf(tool)}: ${isRecord(member) ? labelOf(member) : 'no tool'}`);
}

function labelOf({ type, name }: Fields): string {
  return [type, name].filter((word) => typeof word === 'string' && word !== '').join(' ');
}

/** Reports whether two tools of one function name are different: flat names of different namespaces may be equal. */
function isOther(tool: DeclaredTool, known: DeclaredTool): boolean {
  if (tool.kind === 'local_shell' || known.kind === 'local_shell') return false;
  return toolKey(tool.namespace, tool.spec.name) !== toolKey(known.namespace, known.spec.name);
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let n = 2;
  while (taken.has(`${name}_${n}`)) n++;
  return `${name}_${n}`;
}

type Fields = Readonly<Record<string, unknown>>;
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

function membersOf({ name: namespace, tools }: Fields): readonly Entry[] {
  if (typeof namespace !== 'string' || !Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => memberEntries(tool, namespace));
}

function memberEntries(tool: unknown, namespace: string): readonly Entry[] {
  if (!isRecord(tool) || typeof tool.name !== 'string') return [];
  const name = flatName(namespace, tool.name);
  if (tool.type === 'function') return [[name, { kind: 'function', spec: functionSpec(tool, tool.name), namespace }]];
  if (tool.type === 'custom') return [[name, { kind: 'custom', spec: customSpec(tool, tool.name), namespace }]];
  return [];
}

function functionSpec(tool: Fields, name: string): FunctionSpec {
  return {
    type: 'function',
    name,
    description: descriptionOf(tool),
    strict: tool.strict === true,
    parameters: isRecord(tool.parameters) ? tool.parameters : {},
  };
}

function customSpec(tool: Fields, name: string): CustomSpec {
  const format = isRecord(tool.format) ? { format: tool.format } : {};
  return { type: 'custom', name, description: descriptionOf(tool), ...format };
}

function descriptionOf({ description }: Fields): string {
  return typeof description === 'string' ? description : '';
}
