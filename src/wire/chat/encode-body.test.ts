import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { anyResponse as anyOtherResponse } from '../responses/fixtures/arbitrary-response.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';
import { anyResponse } from './fixtures/arbitrary-response.ts';

const options = { model: 'm', createdAt: 1700000000 };
const end: ModelEvent = { type: 'completed', responseId: 'r', usage: null, endTurn: null };
const bodyOf = (...events: ModelEvent[]) => encodeBody([{ type: 'created', responseId: 'r' }, ...events, end], options);
const messageOf = (...events: ModelEvent[]) =>
  (bodyOf(...events) as { choices: { message: unknown }[] }).choices[0]?.message;

interface Chunk {
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[];
}
type Delta = Record<string, string> & { tool_calls?: Piece[] };
type Piece = { index: number; id?: string; type?: string } & Record<'function' | 'custom', Record<string, string>>;

/** Folds a stream as a client does: pieces of one name are joined. */
function folded(events: readonly ModelEvent[]) {
  const encoder = encodeStream({ ...options, includeUsage: true });
  const frames = events.flatMap((event) => encoder.push(event)).filter(({ data }) => data !== '[DONE]');
  const chunks = frames.map(({ data }) => JSON.parse(data) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => (choices ?? []).map(({ delta }) => delta));
  const joined = (name: string) => deltas.map((delta) => delta[name] ?? '').join('');
  const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []);
  const calls = pieces
    .filter(({ id }) => id !== undefined)
    .map(({ index, id, type }) => {
      const forms = pieces.filter((piece) => piece.index === index).map((piece) => piece.function ?? piece.custom);
      const text = forms.map((form) => form.arguments ?? form.input).join('');
      return { id, type, name: forms[0]?.name, text };
    });
  return {
    error: chunks.find(({ error }) => error !== undefined)?.error,
    finish: chunks.flatMap(({ choices }) => (choices ?? []).flatMap((choice) => choice.finish_reason ?? []))[0],
    usage: chunks.find(({ usage }) => usage !== undefined)?.usage,
    content: joined('content'),
    reasoning: joined('reasoning_content'),
    refusal: joined('refusal'),
    calls,
  };
}

/** Reads a whole body in the same form. */
function read(body: unknown) {
  const { error, usage, choices } = body as {
    error?: unknown;
    usage?: unknown;
    choices?: { finish_reason: string; message: Record<string, string | null> & { tool_calls?: Piece[] } }[];
  };
  const { message, finish_reason } = choices?.[0] ?? {};
  return {
    error,
    finish: finish_reason,
    usage,
    content: message?.content ?? '',
    reasoning: message?.reasoning_content ?? '',
    refusal: message?.refusal ?? '',
    calls: (message?.tool_calls ?? []).map(({ id, type, function: called, custom }) => {
      const form = called ?? custom;
      return { id, type, name: form.name, text: form.arguments ?? form.input };
    }),
  };
}

const isTorn = (events: readonly ModelEvent[]) => events.at(-1)?.type === 'incomplete';

describe('a body', () => {
  test('says what the stream of the same events says', () => {
    fc.assert(
      fc.property(fc.oneof(anyResponse, anyOtherResponse), (events) => {
        const told = folded(events);
        const body = read(encodeBody(events, options));
        if (told.error !== undefined) expect(body.error).toEqual(told.error);
        else if (!isTorn(events)) expect(body).toEqual(told);
        else expect({ ...body, calls: [] }).toEqual({ ...told, calls: [] });
      }),
      { numRuns: runs(500) },
    );
  });

  test('has the name of a tool whose namespace has the same name', () => {
    const call: Item = { type: 'function_call', id: 'i', name: 'f', namespace: 'f', arguments: '{}', call_id: 'c' };
    const started: ModelEvent = {
      type: 'item.started',
      item: { type: 'function_call', id: 'i', name: 'f', namespace: 'f', callId: 'c' },
    };
    for (const events of [[], [started]])
      expect(encodeBody([...events, { type: 'item.done', item: call }, end], options)).toMatchObject({
        choices: [{ message: { tool_calls: [{ function: { name: 'f' } }] } }],
      });
  });

  test('has the shape of the protocol', () => {
    const call: Item = { type: 'function_call', id: 'i', name: 'f', namespace: 'n', arguments: '{}', call_id: 'c' };
    expect(
      encodeBody(
        [
          { type: 'item.done', item: call },
          { ...end, usage: NO_USAGE },
        ],
        options,
      ),
    ).toEqual({
      id: 'chatcmpl-1700000000',
      object: 'chat.completion',
      created: 1700000000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'n__f', arguments: '{}' } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 0,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        completion_tokens: 0,
        completion_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 0,
      },
    });
    expect(bodyOf()).not.toHaveProperty('usage');
  });

  test('has an empty text where nothing was said, and no text next to a refusal', () => {
    const refused: Item = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] };
    expect(messageOf()).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(messageOf({ type: 'item.done', item: refused })).toEqual({
      role: 'assistant',
      content: null,
      refusal: 'no',
    });
  });

  test('has no call that was cut off', () => {
    const started = (id: string) => ({ type: 'function_call' as const, id, name: 'f', callId: `call ${id}` });
    const whole: Item = { type: 'function_call', id: 'a', name: 'f', arguments: '{}', call_id: 'call a' };
    const events: ModelEvent[] = [
      { type: 'item.started', item: started('b') },
      { type: 'item.started', item: started('a') },
      { type: 'input.delta', itemId: 'b', delta: '{"x' },
      { type: 'item.done', item: whole },
      { type: 'incomplete', responseId: 'r', reason: 'max_output_tokens', usage: null },
    ];
    expect(encodeBody(events, options)).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: 'call a' }] }, finish_reason: 'length' }],
    });
  });

  test('of a failure is the error', () => {
    expect(encodeBody([{ type: 'failed', code: 'c', message: 'm' }], options)).toEqual({
      error: { message: 'm', type: 'c', code: 'c', param: null },
    });
  });
});

test('a call has its final arguments, even if its pieces differed', () => {
  const call = { type: 'function_call', id: 'i', call_id: 'c', name: 'f', arguments: '{"a":1}' } as const;
  const started: ModelEvent = {
    type: 'item.started',
    item: { type: 'function_call', id: 'i', name: 'f', callId: 'c' },
  };
  const message = messageOf(
    started,
    { type: 'input.delta', itemId: 'i', delta: '{"b"' },
    { type: 'item.done', item: call },
  );
  expect(message).toMatchObject({ tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":1}' } }] });
});
