import type { ToolSpec } from '../../base/tool.ts';
import { type DeclaredTool, declaredTools } from '../lowering/declared-tools.ts';
import { functionParts } from '../lowering/function-parts.ts';

const texts = new WeakMap<readonly ToolSpec[], string>();

/** Encodes the `tools` of a request as JSON text; empty if this wire can carry none of the tools. */
export function encodeTools(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  let text = texts.get(tools);
  if (text === undefined) {
    const functions = Array.from(declaredTools(tools), ([name, tool]) => functionTool(name, tool));
    text = functions.length === 0 ? '' : JSON.stringify(functions);
    texts.set(tools, text);
  }
  return text;
}

function functionTool(name: string, tool: DeclaredTool): object {
  const { description, strict, parameters } = functionParts(tool);
  return { type: 'function', function: { name, description, strict, parameters } };
}
