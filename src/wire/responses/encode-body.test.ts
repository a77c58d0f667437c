import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { ModelEvent } from '../../base/model.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';
import { anyResponse } from './fixtures/arbitrary-response.ts';

const options = { model: 'm', createdAt: 1700000000 };

test('a body is the last object of the stream of the same events, and holds its items', () => {
  fc.assert(
    fc.property(anyResponse, fc.boolean(), (events, sealReasoning) => {
      const encoder = encodeStream({ ...options, sealReasoning });
      const data = events.flatMap((event) => encoder.push(event)).map((frame) => JSON.parse(frame.data));
      const body = JSON.parse(JSON.stringify(encodeBody(events, { ...options, sealReasoning })));
      expect(body).toEqual(data.at(-1).response);
      const done = data.filter(({ type }) => type === 'response.output_item.done');
      expect(body.output).toEqual(done.sort((a, b) => a.output_index - b.output_index).map(({ item }) => item));
      expect(new Set(data.flatMap(({ response }) => response?.id ?? []))).toEqual(new Set([body.id]));
    }),
    { numRuns: runs(300) },
  );
});

test('a body repeats the given fields, except those that it sets itself', () => {
  const repeated = { metadata: { a: 'b' }, previous_response_id: 'resp_0', status: 'other', id: 'other' };
  const end: ModelEvent = { type: 'completed', responseId: 'r', usage: null, endTurn: null };
  expect(encodeBody([end], { ...options, repeated })).toMatchObject({
    id: 'r',
    status: 'completed',
    metadata: { a: 'b' },
    previous_response_id: 'resp_0',
  });
});
