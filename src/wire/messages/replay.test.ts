import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import { DEFAULT_COMPAT, type Frame } from '../../base/wire.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeBody } from './encode-body.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeStream } from './encode-stream.ts';
import { anyResponse } from './fixtures/arbitrary-response.ts';
import { readStrictly } from './fixtures/strict-client.ts';

const OPTIONS = { model: 'm', createdAt: 1 };
const framesOf = (events: readonly ModelEvent[]): readonly Frame[] => {
  const encoder = encodeStream(OPTIONS);
  return events.flatMap((event) => encoder.push(event));
};
const itemsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

const requestWith = (input: readonly Item[]): ModelRequest => ({
  model: 'm',
  instructions: '',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }, ...input],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
});

/** Returns the blocks of a message as a server would get them back, without blank texts and thoughts at the end. */
function sentBack(blocks: readonly Record<string, unknown>[]): readonly unknown[] {
  const spoken = blocks
    .filter(({ type, text }) => type !== 'text' || String(text).trim() !== '')
    .map(({ partial_json, ...block }) =>
      typeof partial_json === 'string' ? { ...block, input: JSON.parse(partial_json) } : block,
    );
  const end = spoken.findLastIndex((block) => !String((block as Record<string, unknown>).type).includes('thinking'));
  return spoken.slice(0, end + 1);
}

/** Gives a call an id that servers accept. Other ids are changed. */
function withPlainId(event: ModelEvent): ModelEvent {
  const plain = (id: unknown) => `t${String(id).split('_').at(-1)}`;
  if (event.type === 'item.started' && event.item.callId !== undefined) {
    return { ...event, item: { ...event.item, callId: plain(event.item.id) } };
  }
  if (event.type !== 'item.done' || event.item.type !== 'function_call') return event;
  return { ...event, item: { ...event.item, call_id: plain(event.item.id) } };
}

const healthy = anyResponse.filter((events) => events.at(-1)?.type === 'completed');

test('the blocks of a server go back to it as they came', () => {
  fc.assert(
    fc.property(healthy, (events) => {
      const frames = framesOf(events.map(withPlainId));
      const { content } = readStrictly(frames);
      const decoder = decodeStream();
      const items = itemsOf([...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]);
      const body = JSON.parse(wholeText(encodeRequest(requestWith(items), DEFAULT_COMPAT)));
      expect(body.messages[1]?.content ?? []).toEqual(sentBack(content));
    }),
    { numRuns: runs(300) },
  );
});

test('a client returns the reasoning of a server of any wire as it was', () => {
  const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });
  const anyReasoning = fc.record({
    summary: fc.array(anyText, { maxLength: 1 }),
    encrypted: fc.oneof(anyText, fc.constant('gAAA')),
  });
  fc.assert(
    fc.property(anyReasoning, fc.boolean(), ({ summary, encrypted }, isWhole) => {
      const item: Item = {
        type: 'reasoning',
        id: 'r',
        summary: summary.map((text) => ({ type: 'summary_text', text })),
        content: null,
        encrypted_content: encrypted,
      };
      const events: ModelEvent[] = [
        { type: 'created', responseId: 'm' },
        { type: 'item.done', item },
        { type: 'completed', responseId: 'm', usage: null, endTurn: null },
      ];
      const content = isWhole
        ? (encodeBody(events, OPTIONS) as { content: unknown }).content
        : readStrictly(framesOf(events)).content;
      const { input } = decodeRequest({ model: 'm', messages: [{ role: 'assistant', content }] });
      const { id: _, ...kept } = item;
      expect(input).toEqual([kept]);
    }),
    { numRuns: runs(300) },
  );
});
