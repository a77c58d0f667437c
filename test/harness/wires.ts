import { isCallOutput } from '../../src/base/item.ts';
import type { ModelRequest } from '../../src/base/model.ts';
import type { RecordedRequest, ScriptedModel } from '../../src/testing/index.ts';
import { REPLY_WIRES, type ReplyWireName } from '../../src/testing/wires/index.ts';
import type { ConfigTable } from './scripted-config.ts';

export type WireName = ReplyWireName;

/** All wires. A test that takes long runs on some of them. */
export const WIRES = Object.keys(REPLY_WIRES) as readonly WireName[];

/** Returns a configuration for one of the wires, with more settings. */
export function over(wire: WireName, more: ConfigTable = {}): ConfigTable {
  return { ...more, model_providers: { scripted: { wire_api: wire } } };
}

/** Returns a request as the wire of its path decodes it. */
export function decodedRequest({ path, body }: RecordedRequest): ModelRequest {
  const wire = Object.values(REPLY_WIRES).find((one) => path.split('?')[0]?.endsWith(one.path));
  if (wire === undefined) throw new Error(`no wire has the path ${path}`);
  return wire.decodeRequest(body);
}

/** Returns the outputs in the n-th request (from 0), by call id, for any wire. */
export function outputsOf({ requests }: ScriptedModel, n: number): ReadonlyMap<string, string> {
  const request = requests[n];
  const items = request === undefined ? [] : decodedRequest(request).input.filter(isCallOutput);
  return new Map(
    items.map(({ call_id, output }) => [call_id, typeof output === 'string' ? output : JSON.stringify(output)]),
  );
}

/** Returns the offer of the first request: names of functions and custom tools, kinds of others. */
export function offeredIn({ requests: [request] }: ScriptedModel): string[] {
  const { tools } = request === undefined ? { tools: [] } : decodedRequest(request);
  return tools.map((tool) => {
    const name = 'name' in tool ? String(tool.name) : tool.type;
    return tool.type === 'custom' ? `${name} (custom)` : name;
  });
}
