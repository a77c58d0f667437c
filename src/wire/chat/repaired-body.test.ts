import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import { repairedBody } from './repaired-body.ts';

const anyWords = fc.stringMatching(/^[a-z]{0,8}( [a-z]{1,8}){0,3}$/);
const anyExtra = fc.record(
  { logprobs: fc.constant(null), native_finish_reason: anyWords, x_extra: fc.jsonValue() },
  { requiredKeys: [] },
);
const anyCall = fc.record({
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constant('f'),
    arguments: fc.dictionary(anyWords, fc.nat()).map((it) => JSON.stringify(it)),
  }),
});
const anyMessage = fc.record(
  {
    role: fc.constant('assistant'),
    content: fc.oneof(anyWords, fc.constant(null)),
    reasoning: anyWords,
    reasoning_details: fc.constant([{ type: 'reasoning.encrypted', data: 'c2VhbGVk', index: 0 }]),
    refusal: fc.constant(null),
    annotations: fc.array(fc.record({ url: anyWords })),
    calls: fc.array(anyCall, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['role', 'content'] },
);

const anyBody = fc
  .tuple(anyExtra, fc.array(fc.tuple(anyMessage, anyExtra), { minLength: 1, maxLength: 3 }))
  .map(([head, list]) => ({
    ...head,
    id: 'c',
    object: 'chat.completion',
    choices: list.map(([{ calls, ...message }, extra], index) => ({
      ...extra,
      index,
      message: calls
        ? { ...message, tool_calls: calls.map((call, n) => ({ id: `call_${index}_${n}`, ...call })) }
        : message,
      finish_reason: calls ? 'tool_calls' : 'stop',
    })),
  }));

test('a healthy answer is put together as it came', () => {
  fc.assert(
    fc.property(anyBody, (body) => {
      const ids: string[] = [];
      const request = { instructions: '', input: [], tools: [FUNCTION], toolChoice: 'auto' } as const;
      const memory = { startsThinking: false };
      const onRepair = ({ id }: { readonly id: string }) => void ids.push(id);
      const repair = repairStream('chat', { request, compat: DEFAULT_COMPAT, memory, onRepair });
      const frames = [...repair.push({ data: JSON.stringify(body) }), ...repair.end()];
      expect(ids).toEqual(['F13']);
      const sent: unknown = JSON.parse(JSON.stringify(body));
      expect(repairedBody(sent as typeof body, frames)).toEqual(sent);
    }),
    { numRuns: runs(500) },
  );
});

const FUNCTION = {
  type: 'function',
  name: 'f',
  description: '',
  strict: false,
  parameters: { type: 'object' },
} as const;
