import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeReply } from './encode-reply.ts';
import { fault, type ScriptedAnswer } from './fault.ts';
import { createIds } from './ids.ts';
import { planDelivery } from './plan-delivery.ts';
import { call, gate, pause, reply, say } from './reply.ts';
import { REPLY_WIRES } from './wires/index.ts';

const plan = (answer: ScriptedAnswer) =>
  planDelivery(answer, REPLY_WIRES.responses, { ids: createIds(), model: 'scripted' });
const answer = reply(say('Grüße'), pause(1), call('shell', { command: 'ls' }), gate(Promise.resolve()), say('done'));
const whole = encodeReply(answer);

test('the bytes are the same however they are split, and waits keep their places', () => {
  const bytesBeforeWaits = (of: ScriptedAnswer) => {
    let bytes = 0;
    return plan(of).steps.flatMap((step) => {
      if (step.kind !== 'frame') return [[step.kind, bytes]];
      bytes += step.bytes.length;
      return [];
    });
  };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: whole.length + 1 }), (size) => {
      const split = fault.split(answer, size);
      expect(encodeReply(split).equals(whole)).toBe(true);
      expect(bytesBeforeWaits(split)).toEqual(bytesBeforeWaits(answer));
      expect(plan(split).steps.every((step) => step.kind !== 'frame' || step.bytes.length <= size)).toBe(true);
    }),
  );
});

test('a cut at any byte leaves the bytes before it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length + 5 }), (at) => {
      for (const of of [fault.cut(answer, at), fault.truncated(answer, at), fault.reset(at, answer)]) {
        expect(encodeReply(of).equals(whole.subarray(0, at))).toBe(true);
      }
    }),
  );
});

test('a piece has at least one byte', () => {
  expect(() => fault.split(answer, 0)).toThrow('A piece has at least one byte, not 0.');
});

test('the ids of an encoded reply can continue those of another', () => {
  const ids = createIds();
  encodeReply(answer, { ids });
  expect(encodeReply(answer, { ids, model: 'm' }).toString()).toMatch(/"resp_2".*"model":"m".*"call_2"/s);
});
