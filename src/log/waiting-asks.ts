import type { LogLine } from '../base/log.ts';
import { lineHead } from './line-head.ts';
import { decoded } from './waiting-inputs.ts';

/** The calls of a thread that wait for an answer of the user, collected from its lines. */
export interface WaitingAsks {
  see(line: Buffer): void;
  /** Returns an output for each of the calls. */
  outputs(): readonly LogLine[];
}

export function createWaitingAsks(): WaitingAsks {
  /** Whether the call is of a custom tool, by its id. */
  const waiting = new Map<string, boolean>();
  return {
    outputs: () => [...waiting].map(([call_id, custom]) => outputLine(call_id, custom)),
    see(bytes) {
      const { kind } = lineHead(bytes, 0, bytes.length) ?? {};
      if (kind !== 'ask.suspended' && !(waiting.size > 0 && ENDS.has(kind))) return;
      const line = decoded(bytes);
      if (line?.type === 'response_item' && 'call_id' in line.payload) waiting.delete(String(line.payload.call_id));
      if (line?.type !== 'oxbow') return;
      if (line.payload.kind === 'ask.suspended') waiting.set(line.payload.call_id, line.payload.call === 'custom');
      if (line.payload.kind === 'call.started') waiting.delete(line.payload.call_id);
    },
  };
}

const ENDS: ReadonlySet<string | undefined> = new Set([
  'call.started',
  'function_call_output',
  'custom_tool_call_output',
]);

function outputLine(call_id: string, custom: boolean): LogLine {
  const output = 'Not run: the question whether it may run stays with the thread that this one was forked from.';
  const type = custom ? 'custom_tool_call_output' : 'function_call_output';
  const metadata = { success: false, duration_ms: 0, failure: 'permission' } as const;
  return { type: 'response_item', payload: { type, call_id, output }, metadata };
}
