import { isRecord } from '../../base/json-schema.ts';
import type { Tool, ToolCall } from '../../base/tool.ts';

/**
 * A call in a form that its tool takes: as it is, or converted where nothing can be lost by that. Models mix up functions
 * and free texts. Undefined when the tool does not take it.
 */
export function coerceCall(call: ToolCall, { accepts }: Pick<Tool, 'accepts'>): ToolCall | undefined {
  const { payload } = call;
  if (accepts.includes(payload.kind)) return call;
  if (payload.kind === 'custom' && accepts.includes('function') && objectOf(payload.input) !== undefined) {
    return { ...call, payload: { kind: 'function', arguments: payload.input } };
  }
  if (payload.kind === 'function' && accepts.includes('custom')) {
    const input = objectOf(payload.arguments)?.input;
    if (typeof input === 'string') return { ...call, payload: { kind: 'custom', input } };
  }
  return undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
