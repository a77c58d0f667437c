import type { McpAction } from '../base/action.ts';
import { cutMiddle } from '../base/bound-text.ts';
import type { ToolCallItem } from '../base/event.ts';
import type { CallItem, Output } from '../base/item.ts';
import type { OutputMetadata } from '../base/log.ts';
import { ITEM_TEXT } from './brief-item.ts';

/** Returns the shown item of a call that has begun. */
export function begunCall(call: CallItem): ToolCallItem {
  const { name, namespace } = call.type === 'local_shell_call' ? { name: 'local_shell' } : call;
  return {
    type: 'tool_call',
    id: call.call_id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: cutMiddle(argumentsOf(call), ITEM_TEXT),
    output: null,
    status: 'running',
    durationMs: null,
    failure: null,
  };
}

/** Returns the shown item of a call that a hook gave other arguments. */
export function withArguments(item: ToolCallItem, text: string): ToolCallItem {
  return { ...item, arguments: cutMiddle(text, ITEM_TEXT) };
}

/** Returns the shown item of a call that has ended. */
export function endedCall(item: ToolCallItem, output: Output, metadata: Partial<OutputMetadata>): ToolCallItem {
  return {
    ...item,
    // Programs read results of MCP servers, which are bounded for the model already.
    output: metadata.mcp_server === undefined ? cutMiddle(textOf(output), ITEM_TEXT) : textOf(output),
    // Logs of other programs do not say whether a call succeeded.
    status: metadata.success === false ? 'failed' : 'completed',
    durationMs: metadata.duration_ms ?? null,
    failure: metadata.failure ?? null,
    ...mcpOf(metadata),
  };
}

/** Returns the shown item of a call of a tool of an MCP server. */
export function withMcp(item: ToolCallItem, { server, tool }: Pick<McpAction, 'server' | 'tool'>): ToolCallItem {
  return { ...item, mcp: { server, tool } };
}

function mcpOf({ mcp_server, mcp_tool, mcp_structured }: Partial<OutputMetadata>): Pick<ToolCallItem, 'mcp'> {
  if (typeof mcp_server !== 'string' || typeof mcp_tool !== 'string') return {};
  return { mcp: { server: mcp_server, tool: mcp_tool, ...(mcp_structured === true && { structured: true }) } };
}

/** Returns the arguments of a call as the model wrote them. */
export function argumentsOf(call: CallItem): string {
  if (call.type === 'function_call') return call.arguments;
  return call.type === 'custom_tool_call' ? call.input : JSON.stringify(call.action);
}

/** Returns the text of an output. Parts without a text stand as their type. */
export function textOf(output: Output): string {
  if (typeof output === 'string') return output;
  return output
    .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : `[${part.type}]`))
    .join('\n');
}
