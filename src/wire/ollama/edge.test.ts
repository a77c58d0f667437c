import { describe, expect, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import { DEFAULT_COMPAT, type Frame } from '../../base/wire.ts';
import { ClientError } from '../edge/client-error.ts';
import type { PassOptions } from '../edge/edge-wire.ts';
import { edge } from './edge.ts';

const frame = (line: object): Frame => ({ data: JSON.stringify(line) });
const said = (message: object) => ({
  model: 'm',
  message: { role: 'assistant', content: '', ...message },
  done: false,
});
const END = { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };

describe('a request', () => {
  test('asks for a stream unless it says otherwise', () => {
    for (const stream of [undefined, null, true]) expect(edge.readRequest({ model: 'm', stream }).stream).toBe(true);
    expect(edge.readRequest({ model: 'm', stream: false }).stream).toBe(false);
  });

  const options = { model: 'm', stream: true, compat: DEFAULT_COMPAT };
  const call = { id: 'call_1', function: { name: 'f', arguments: { a: 1 } } };
  const body = {
    model: 'm',
    messages: [
      { role: 'assistant', content: '', thinking: 'Hm', tool_calls: [call], extra: 1 },
      { role: 'tool', content: 'ok', tool_call_id: 'call_1' },
    ],
    options: { num_ctx: 8192 },
    keep_alive: '5m',
    later: true,
  };

  test('of the same wire is edited in named fields only', () => {
    expect(edge.editRequest(body, options)).toBe(body);
    const { messages: _, ...others } = body;
    const nine = edge.editRequest(body, { ...options, compat: { ...DEFAULT_COMPAT, callIds: 'nine' } });
    expect(nine).toMatchObject(others);
    const [answer, result] = nine.messages as { tool_calls: { id: string }[]; tool_call_id: string }[];
    expect(answer?.tool_calls[0]?.id).toMatch(/^\w{9}$/);
    expect(result?.tool_call_id).toBe(answer?.tool_calls[0]?.id);
    const silent = edge.editRequest(body, { ...options, compat: { ...DEFAULT_COMPAT, sendReasoning: 'none' } });
    expect(silent).toEqual({
      ...body,
      messages: [{ role: 'assistant', content: '', tool_calls: [call], extra: 1 }, body.messages[1]],
    });
  });

  test('comes from a client of this wire by the name of its program', () => {
    const isClient = (agent?: string) => edge.isClient?.((name) => (name === 'user-agent' ? agent : undefined));
    expect(['ollama-js/0.6.4 (x64)', 'ollama/0.13.0 (amd64 linux)', 'ollama-python/0.6'].map(isClient)).toEqual([
      true,
      true,
      true,
    ]);
    expect([undefined, 'curl/8', 'my-ollama', 'ollamax'].map(isClient)).toEqual([false, false, false, false]);
  });
});

describe('passed lines', () => {
  const PASS: PassOptions = {
    includeUsage: true,
    store: false,
    responseId: 'r',
    encoding: { model: 'm', createdAt: 1 },
    redact: (text) => text.replaceAll('secret', '[redacted]'),
    failures: {
      toModelError: ({ message }) => new ModelError('server_error', message),
      toClientError: ({ message }) => new ClientError(message, { status: 502, code: 'bad' }),
    },
  };

  function pass(frames: readonly Frame[], broken?: ModelError) {
    const translator = edge.passThrough(PASS);
    const out: Frame[] = [];
    for (const one of frames) translator.push(one, out);
    translator.end(out, broken);
    return { out: out.map(({ data }) => data), translator };
  }

  test('keep their bytes, and nothing follows the last', () => {
    const frames = [frame(said({ content: 'x' })), { data: 'no JSON' }, frame({ ...END, extra: 1 }), frame(said({}))];
    const { out, translator } = pass(frames);
    expect(out).toEqual([frames[0]?.data, frames[2]?.data]);
    expect(translator).toMatchObject({ spoke: true, over: true, failure: undefined });
  });

  test('are followed by an error when the server breaks off', () => {
    const broken = new ModelError('stream_broken', 'The line was cut.');
    expect(pass([frame(said({ content: 'x' }))], broken).out.at(-1)).toBe('{"error":"The line was cut.","code":"bad"}');
    expect(pass([]).translator).toMatchObject({ spoke: false, failure: { code: 'stream_broken' } });
  });

  test('have errors as sentences, without secrets', () => {
    expect(pass([frame({ error: 'no secret', more: 1 })]).out).toEqual(['{"error":"no [redacted]","more":1}']);
    expect(pass([frame({ error: { message: 'no secret' } })]).out).toEqual(['{"error":"no [redacted]","code":"bad"}']);
  });
});

describe('the first call', () => {
  const call = (id: string) => ({ id, function: { name: 'f', arguments: {} } });

  test('is kept over all lines of a response', () => {
    const keep = edge.firstCallOnly();
    const lines = [
      said({ content: 'x' }),
      said({ tool_calls: [call('a'), call('b')] }),
      said({ tool_calls: [call('c')] }),
    ];
    const kept = [...lines, said({ content: 'y', tool_calls: [call('d')] }), END].map(keep);
    expect(kept).toEqual([lines[0], said({ tool_calls: [call('a')] }), undefined, said({ content: 'y' }), END]);
  });
});

describe('a repaired body', () => {
  const answer = { ...END, message: { role: 'assistant', content: '<think>Hm</think>So', images: ['x'] }, extra: 1 };

  test('has the texts and calls of the lines, and its other fields', () => {
    const call = { function: { name: 'f', arguments: {} } };
    const frames = [
      said({ thinking: 'H' }),
      said({ thinking: 'm' }),
      said({ content: 'So' }),
      said({ tool_calls: [call] }),
    ];
    expect(edge.repairedBody?.(answer, [...frames, { ...END, done_reason: 'length' }].map(frame))).toEqual({
      ...answer,
      message: { role: 'assistant', content: 'So', thinking: 'Hm', images: ['x'], tool_calls: [call] },
      done_reason: 'length',
    });
  });

  test('has no texts and calls that the lines do not have', () => {
    const full = { ...END, message: { role: 'assistant', content: 'x', thinking: 'y', tool_calls: [1] } };
    expect(edge.repairedBody?.(full, [frame(END)])).toEqual(END);
  });

  test('may be the answer to a prompt', () => {
    const { message: _, ...plain } = END;
    const lines = [
      { ...plain, done: false, response: 'So', thinking: 'Hm' },
      { ...plain, response: '' },
    ];
    expect(edge.repairedBody?.({ ...plain, response: '<think>', context: [1] }, lines.map(frame))).toEqual({
      ...plain,
      response: 'So',
      thinking: 'Hm',
      context: [1],
    });
    expect(edge.repairedBody?.({ choices: [] }, [])).toBeUndefined();
  });
});

test('an error is a sentence', () => {
  const error = new ClientError('There is no such model.', { status: 404, code: 'model_not_found' });
  expect(edge.errorBody(error)).toEqual({ error: 'There is no such model.' });
});
