import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { ModelError } from '../../base/errors.ts';
import type { Repair } from '../../base/repair.ts';
import { DEFAULT_COMPAT, type Frame } from '../../base/wire.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import { wire as chat } from '../../wire/chat/wire.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { RunningFrame } from '../../wire/framing/text-runs.ts';
import { wire as messages } from '../../wire/messages/wire.ts';
import { decodeLeniently } from './decode-leniently.ts';
import { createRepairedFrames } from './repaired-frames.ts';

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const request = decodeLeniently(chat, { model: 'm', messages: [], tools });
const failures = {
  toModelError: ({ message }: { readonly message: string }) => new ModelError('server_error', message),
  toClientError: ({ message }: ModelError) => new ClientError(message, { status: 502, code: 'server_error' }),
};

/**
 * Returns the stream that a client of the same wire gets for some reads, its repairs, and the number of frames that
 * stand for several.
 */
function passedOn(wire: Wire, reads: readonly Buffer[], isWatched: boolean) {
  const repairs: Repair[] = [];
  const calls: string[] = [];
  const onRepair = (repair: Repair) => void repairs.push(repair);
  const frames = createRepairedFrames({
    framing: wire.framing,
    repair: repairStream(wire.name, { request, compat: DEFAULT_COMPAT, memory: { startsThinking: false }, onRepair }),
    restore: undefined,
    // Code that looks at frames must see every frame.
    keep: isWatched ? (frame) => frame : undefined,
    calls: {
      countIn: (frame) => wire.edge.callsIn?.(frame) ?? 0,
      begun: (frame, count) => void calls.push(`${count} in ${frame}`),
    },
  });
  const translator = wire.edge.passThrough({
    includeUsage: true,
    store: false,
    responseId: 'r',
    encoding: { model: 'm', createdAt: 0 },
    redact: (text) => text,
    failures,
  });
  const out: RunningFrame[] = [];
  const take = (frame: Frame) => translator.push(frame, out);
  for (const bytes of reads) frames.push(bytes, take);
  frames.end(take);
  const runs = out.filter(({ stream }) => stream !== undefined).length;
  return { text: wire.framing.write(out), repairs: repairs.map(({ id, frame }) => `${id} ${frame}`), calls, runs };
}

interface Streamed {
  readonly wire: Wire;
  /** Returns a stream with words in frames of their own, then some calls. */
  readonly streamOf: (words: readonly string[], calls?: number) => string;
}

const WIRES: Readonly<Record<string, Streamed>> = {
  chat: { wire: chat, streamOf: chatStream },
  messages: { wire: messages, streamOf: messagesStream },
};

function messagesStream(words: readonly string[], calls = 0): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const called = (n: number) => [
    {
      type: 'content_block_start',
      index: n + 1,
      content_block: { type: 'tool_use', id: `c${n}`, name: 'look', input: {} },
    },
    { type: 'content_block_delta', index: n + 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: n + 1 },
  ];
  const events = [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    ...Array.from({ length: calls }, (_, n) => called(n)).flat(),
    { type: 'message_delta', delta: { stop_reason: calls > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function chatStream(words: readonly string[], calls = 0): string {
  const entry = (index: number) => ({ index, id: `call_${index}`, type: 'function', function: { name: 'look' } });
  const begun = Array.from({ length: calls }, (_, n) => entry(n));
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    ...(calls > 0 ? [chunk({ tool_calls: [...begun, { index: 0, function: { arguments: '{}' } }] })] : []),
    chunk({}, 'stop'),
  ];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}

describe.each(Object.entries(WIRES))('over %s', (name, { wire, streamOf }) => {
  test('words that came together are passed on together, with their own bytes', () => {
    const stream = streamOf(['Many', ' words', ' that', ' need', ' nothing', ' at', ' all']);
    const { text, runs } = passedOn(wire, [Buffer.from(stream)], false);
    expect(text).toBe(stream);
    expect(runs).toBe(1);
  });

  test('the frame in which calls begin is counted as the server sent it', () => {
    const sent = Buffer.from(streamOf(['Many', ' words', ' that', ' need', ' nothing'], 2));
    const begun = name === 'chat' ? ['2 in 7'] : ['1 in 9', '1 in 12'];
    for (const isWatched of [true, false]) expect(passedOn(wire, [sent], isWatched).calls).toEqual(begun);
  });

  test('frames that are passed on together say the same as one by one', () => {
    fc.assert(
      fc.property(fc.array(anyWord, { maxLength: 30 }), fc.array(fc.nat()), (words, places) => {
        const bytes = Buffer.from(streamOf(words));
        const cuts = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
        const reads = [0, ...cuts].map((from, n) => bytes.subarray(from, cuts[n]));
        const { runs: _, ...together } = passedOn(wire, reads, false);
        const { runs: none, ...single } = passedOn(wire, reads, true);
        expect(together).toEqual(single);
        expect(none).toBe(0);
      }),
      { numRuns: runs(400) },
    );
  });
});

const CALL = '<tool_call>{"name":"look","arguments":{}}</tool_call>';
const anyWord = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...[' a', 'b', ' "', '\\', '\n\n', 'é', '', '<', '<tool', '<think>', 'x</think>', CALL, '```', 'data: '],
  ),
);
