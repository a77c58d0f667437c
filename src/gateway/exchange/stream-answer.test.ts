import { expect, onTestFinished, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { decodeLeniently } from '../../model/exchange/decode-leniently.ts';
import { createRepairedFrames } from '../../model/exchange/repaired-frames.ts';
import type { HttpResponse } from '../../model/http.ts';
import { testWorld } from '../../model/test-loopback.ts';
import { repairStream } from '../../repair/repair-stream.ts';
import { wire } from '../../wire/chat/wire.ts';
import { createAnswerRoom } from '../server/answer-room.ts';
import type { Outgoing } from '../server/client-io.ts';
import { createTimers } from '../server/timers.ts';
import { createClientAnswer } from './client-answer.ts';
import { createExchangeRecord } from './exchange-record.ts';
import { streamAnswer } from './stream-answer.ts';
import { FAILURES } from './upstream-error.ts';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Returns the actions on a client's answer, in order. `reads` are the texts of the server, waits, or its failure. */
async function streamed(reads: (string | (() => Promise<void>) | ModelError)[]) {
  const log: string[] = [];
  const outgoing: Outgoing = {
    trailers: false,
    head: (status) => log.push(`head ${status}`),
    write(text) {
      log.push(String(text));
      return undefined;
    },
    flush() {},
    end: () => log.push('end'),
    abort: () => log.push('abort'),
  };
  const response: HttpResponse = {
    status: 200,
    headers: {},
    async read() {
      for (let next = reads.shift(); next !== undefined; next = reads.shift()) {
        if (next instanceof ModelError) throw next;
        if (typeof next === 'string') return Buffer.from(next);
        await next();
      }
      return null;
    },
    release: () => log.push('release'),
    close: () => log.push('close'),
  };
  const record = createExchangeRecord('x');
  const frames = createRepairedFrames({
    framing: wire.framing,
    repair: repairStream(wire.name, {
      request: decodeLeniently(wire, { model: 'm', messages: [] }),
      compat: DEFAULT_COMPAT,
      memory: { startsThinking: false },
      onRepair: (repair) => record.repairs.push(repair),
    }),
    restore: undefined,
  });
  const limit = createTimers().startTimeLimit({ left: false, onLeft() {} }, 60_000);
  onTestFinished(limit.stop);
  const answer = createClientAnswer(outgoing, record, { world: testWorld(), timers: createTimers() });
  answer.keepAlive(wire.framing, 10);
  onTestFinished(() => answer.abort());
  const done = streamAnswer(
    { wire, outgoing: answer, record, limit, parts: { isQuiet: () => true, answerRoom: createAnswerRoom() } },
    response,
    {
      frames,
      translator: wire.edge.passThrough({
        includeUsage: false,
        store: false,
        responseId: 'r',
        encoding: { model: 'm', createdAt: 0 },
        redact: (text) => text,
        failures: FAILURES,
      }),
      idleTimeoutMs: 1000,
      maxAnswersBytes: 1_000_000,
      keep: undefined,
    },
  );
  return { log, done };
}

test('pings are sent between frames while the server is silent', async () => {
  const hello = chunk({ role: 'assistant', content: 'Hello' });
  const until = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 5));
    while (!log.includes(': ping\n'));
  };
  const { log, done } = await streamed([hello, () => until(), chunk({}, 'stop'), 'data: [DONE]\n\n']);
  await done;
  expect(log.slice(0, 3)).toEqual(['head 200', hello, ': ping\n']);
  expect(log.filter((entry) => entry !== ': ping\n').slice(2)).toEqual([
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
    'end',
    'release',
  ]);
});

test('a beginning without content waits for more, and a silence begins the stream with a ping', async () => {
  const until = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 5));
    while (log.length === 0);
  };
  const beginning = chunk({ role: 'assistant', content: '' });
  const { log, done } = await streamed([
    beginning,
    () => until(),
    chunk({ content: 'Hello' }),
    new ModelError('stream_broken', 'cut'),
  ]);
  await done;
  expect(log.slice(0, 2)).toEqual(['head 200', ': ping\n']);
  expect(log.find((entry) => entry.startsWith('data:'))).toBe(beginning + chunk({ content: 'Hello' }));
  expect(log.at(-3)).toContain('"code":"stream_closed"');
  expect(log.slice(-2)).toEqual(['end', 'close']);
});

test('a failure after such a beginning is thrown while nothing was sent', async () => {
  const { log, done } = await streamed([chunk({ role: 'assistant' }), new ModelError('idle_timeout', 'silent')]);
  await expect(done).rejects.toMatchObject({ status: 504, code: 'upstream_timeout' });
  expect(log).toEqual(['close']);
});
