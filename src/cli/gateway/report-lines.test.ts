import { expect, test } from 'vitest';
import { createStyle } from '../print/style.ts';
import type { GatewayReport } from './load-gateway.ts';
import { reportEntry, reportLine } from './report-lines.ts';

const REPAIR = { id: 'A1', title: 'finish', frame: 3, callId: 'c1', before: 'secret text', after: 'other text' };
const REPORT: GatewayReport = {
  id: 'x1',
  clientWire: 'responses',
  serverWire: 'chat',
  provider: 'mine',
  model: 'big',
  stream: true,
  status: 200,
  ms: 1234.6,
  firstByteMs: 20.2,
  inputTokens: 100,
  outputTokens: null,
  repairs: [REPAIR, { ...REPAIR, callId: 'c2' }, { ...REPAIR, id: 'B6' }],
  calls: [{ frame: 2, calls: 1 }],
  adaptations: ['G1'],
  error: null,
};
const plain = createStyle(false);

test('a program gets every field, but no content', () => {
  const entry = reportEntry(REPORT);
  expect(entry).toMatchObject({
    type: 'gateway.exchange',
    client_wire: 'responses',
    server_wire: 'chat',
    status: 200,
    ms: 1235,
    first_byte_ms: 20,
    input_tokens: 100,
    output_tokens: null,
    adaptations: ['G1'],
    calls: [{ frame: 2, calls: 1 }],
    messages: [
      'Received chunk #2 with tool_calls: 1 calls',
      "Setting finish_reason to 'tool_calls' (detected tool_calls in stream)",
      "Setting finish_reason to 'tool_calls' (detected tool_calls in stream)",
      'finish',
    ],
  });
  expect(entry.repairs).toHaveLength(3);
  expect(JSON.stringify(entry)).not.toContain('text');
});

test('people get a line with status, time and repairs', () => {
  expect(reportLine(REPORT, plain)).toBe('200    1235 ms  responses to chat  mine/big  repaired A1, B6  adapted G1\n');
});

test('a failure has its reason, and names of clients cannot control the terminal', () => {
  const failed = { ...REPORT, status: 502, serverWire: null, repairs: [], adaptations: [], error: 'it broke\nhere' };
  expect(reportLine({ ...failed, model: 'a\u001b[2Jb\nc' }, plain)).toBe(
    '502    1235 ms  responses  mine/ab c  it broke here\n',
  );
  expect(reportLine(failed, createStyle(true))).toContain('\u001b[31m502');
});
