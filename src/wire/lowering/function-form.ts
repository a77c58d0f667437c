import type { CallItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { type DeclaredTool, LOCAL_SHELL_NAME } from './declared-tools.ts';
import { flatName } from './flat-name.ts';
import { freeformInput } from './freeform-input.ts';
import { parsedJson } from './parsed-json.ts';

/** A call as a function call. */
export interface FunctionForm {
  readonly name: string;
  /** JSON text, unless the model wrote something else. */
  readonly arguments: string;
}

/** Lowers a call to a function call. */
export function toFunctionForm(call: CallItem): FunctionForm {
  switch (call.type) {
    case 'function_call':
      return { name: flatName(call.namespace, call.name), arguments: call.arguments };
    case 'custom_tool_call':
      return { name: flatName(call.namespace, call.name), arguments: JSON.stringify({ input: call.input }) };
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

/**
 * Converts a function call back to the kind of its declared tool. It stays a function call if its arguments do not fit.
 */
export function fromFunctionForm(form: FunctionForm, ids: CallIds, tool: DeclaredTool | undefined): CallItem {
  const { id, call_id } = ids;
  if (tool?.kind === 'custom') {
    const input = freeformInput(form.arguments, tool.spec.name);
    return { type: 'custom_tool_call', id, call_id, ...toolName(form.name, tool), input };
  }
  const action = tool?.kind === 'local_shell' ? localShellAction(form.arguments) : undefined;
  if (action !== undefined) return { type: 'local_shell_call', id, call_id, action };
  return { type: 'function_call', id, ...toolName(form.name, tool), arguments: form.arguments, call_id };
}

interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

/** Returns the declared name of a tool, given the name of its function. */
export function toolName(name: string, tool: DeclaredTool | undefined): ToolName {
  if (tool === undefined || tool.kind === 'local_shell') return { name };
  const { namespace } = tool;
  return { name: tool.spec.name, ...(namespace !== undefined && { namespace }) };
}

type Action = Extract<CallItem, { type: 'local_shell_call' }>['action'];

/**
 * Reads the arguments of a local shell call. Fields that the action does not have are left out, such as the request to
 * leave the sandbox: the command then runs with fewer rights.
 */
function localShellAction(text: string): Action | undefined {
  const value = parsedJson(text);
  const { command, workdir, timeout_ms } = isRecord(value) ? value : {};
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined;
  return {
    type: 'exec',
    command,
    ...(typeof timeout_ms === 'number' && { timeout_ms }),
    ...(typeof workdir === 'string' && { working_directory: workdir }),
  };
}
