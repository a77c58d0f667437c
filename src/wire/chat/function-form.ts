import type { CallItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { type DeclaredTool, flatName, LOCAL_SHELL_NAME } from './declared-tools.ts';

/** A call as this wire has it. */
export interface FunctionForm {
  readonly name: string;
  /** A JSON text, if the model wrote one. */
  readonly arguments: string;
}

/** A call lowered to a function call. */
export function toFunctionForm(call: CallItem): FunctionForm {
  switch (call.type) {
    case 'function_call':
      return {
        name: call.namespace === undefined ? call.name : flatName(call.namespace, call.name),
        arguments: call.arguments,
      };
    case 'custom_tool_call':
      return { name: call.name, arguments: JSON.stringify({ input: call.input }) };
    case 'local_shell_call': {
      const { command, working_directory: workdir, timeout_ms } = call.action;
      return { name: LOCAL_SHELL_NAME, arguments: JSON.stringify({ command, workdir, timeout_ms }) };
    }
  }
}

export interface CallIds {
  readonly id: string;
  readonly call_id: string;
}

/** A function call raised to what its tool was declared as. Arguments that do not fit leave it a function call. */
export function fromFunctionForm(form: FunctionForm, ids: CallIds, tool: DeclaredTool | undefined): CallItem {
  const { id, call_id } = ids;
  if (tool?.kind === 'custom') {
    return { type: 'custom_tool_call', id, call_id, name: tool.spec.name, input: customInput(form.arguments) };
  }
  const action = tool?.kind === 'local_shell' ? localShellAction(form.arguments) : undefined;
  if (action !== undefined) return { type: 'local_shell_call', id, call_id, action };
  if (tool?.kind !== 'function' || tool.namespace === undefined) {
    return { type: 'function_call', id, name: form.name, arguments: form.arguments, call_id };
  }
  const { namespace, spec } = tool;
  return { type: 'function_call', id, name: spec.name, namespace, arguments: form.arguments, call_id };
}

/** The text inside of the arguments. A model that wrote the text itself, without the object around it, meant the same. */
function customInput(text: string): string {
  const args = parsed(text);
  return typeof args.input === 'string' ? args.input : text;
}

type Action = Extract<CallItem, { type: 'local_shell_call' }>['action'];

/** What has no place in the action, such as a wish to leave the sandbox, is left out: the command runs with less. */
function localShellAction(text: string): Action | undefined {
  const { command, workdir, timeout_ms } = parsed(text);
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined;
  return {
    type: 'exec',
    command,
    ...(typeof timeout_ms === 'number' && { timeout_ms }),
    ...(typeof workdir === 'string' && { working_directory: workdir }),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
