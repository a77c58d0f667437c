import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { ModelError } from '../../base/errors.ts';
import type { Repair } from '../../base/repair.ts';
import { DEFAULT_COMPAT, type Frame } from '../../base/wire.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import { wire } from '../../wire/chat/wire.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { RunningFrame } from '../../wire/framing/text-runs.ts';
import { decodeLeniently } from './decode-leniently.ts';
import { createRepairedFrames } from './repaired-frames.ts';

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const request = decodeLeniently(wire, { model: 'm', messages: [], tools });
const failures = {
  toModelError: ({ message }: { readonly message: string }) => new ModelError('server_error', message),
  toClientError: ({ message }: ModelError) => new ClientError(message, { status: 502, code: 'server_error' }),
};

/**
 * Returns the stream that a chat client gets for some reads, its repairs, and the number of frames that stand for
 * several.
 */
function passedOn(reads: readonly Buffer[], isWatched: boolean) {
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

function streamOf(words: readonly string[], deltas: readonly object[] = []): string {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, 'stop'),
  ];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}

test('words that came together are passed on together, with their own bytes', () => {
  const stream = streamOf(['Many', ' words', ' that', ' need', ' nothing', ' at', ' all']);
  const { text, runs } = passedOn([Buffer.from(stream)], false);
  expect(text).toBe(stream);
  expect(runs).toBe(1);
});

test('the frame in which calls begin is counted as the server sent it', () => {
  const entry = (index: number) => ({ index, id: `call_${index}`, type: 'function', function: { name: 'look' } });
  const pieces = [entry(0), entry(1), { index: 0, function: { arguments: '{}' } }];
  const sent = streamOf(['Many', ' words', ' that', ' need', ' nothing'], [{ tool_calls: pieces }]);
  for (const isWatched of [true, false]) expect(passedOn([Buffer.from(sent)], isWatched).calls).toEqual(['2 in 7']);
});

test('frames that are passed on together say the same as one by one', () => {
  const call = '<tool_call>{"name":"look","arguments":{}}</tool_call>';
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ' a',
      'b',
      ' "',
      '\\',
      '\n\n',
      'é',
      '',
      '<',
      '<tool',
      '<think>',
      'x</think>',
      call,
      '```',
      'data: ',
    ),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.array(fc.nat()), (words, places) => {
      const bytes = Buffer.from(streamOf(words));
      const cuts = [...new Set(places.map((place) => place % bytes.length))].sort((a, b) => a - b);
      const reads = [0, ...cuts].map((from, n) => bytes.subarray(from, cuts[n]));
      const { runs: _, ...together } = passedOn(reads, false);
      const { runs: none, ...single } = passedOn(reads, true);
      expect(together).toEqual(single);
      expect(none).toBe(0);
    }),
    { numRuns: runs(400) },
  );
});
