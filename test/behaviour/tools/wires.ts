import type { ScriptedModel } from '../../../src/testing/index.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';

export const WIRES = ['responses', 'chat'] as const;
export type WireName = (typeof WIRES)[number];

/** Returns a configuration for one of the wires, with more settings. */
export function over(wire: WireName, more: ConfigTable = {}): ConfigTable {
  return { ...more, model_providers: { scripted: { wire_api: wire } } };
}

/** Returns the outputs in the n-th request (from 0), by call id, for either wire. */
export function outputsOf({ requests }: ScriptedModel, n: number): ReadonlyMap<string, string> {
  const { input = [], messages = [] } = requests[n]?.body ?? {};
  const items = input.flatMap((item) =>
    'output' in item ? [[String(item.call_id), textOf(item.output)] as const] : [],
  );
  const results = messages.flatMap((message) =>
    message.role === 'tool' ? [[String(message.tool_call_id), textOf(message.content)] as const] : [],
  );
  return new Map([...items, ...results]);
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** Returns the offer of the first request: names of functions and custom tools, kinds of others. */
export function offeredIn({ requests }: ScriptedModel): string[] {
  const tools = (requests[0]?.body.tools ?? []) as readonly Readonly<Record<string, unknown>>[];
  return tools.map(({ type, name, function: inner }) => {
    const called = name ?? (inner as { name?: unknown } | undefined)?.name;
    return called === undefined ? String(type) : type === 'custom' ? `${String(called)} (custom)` : String(called);
  });
}
