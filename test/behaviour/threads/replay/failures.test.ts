import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { call, fault, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { asksForSummary } from '../compaction/scene.ts';
import { readFileLines, replayLines } from './scene.ts';

test('a failed turn records in fields which limit it reached and why a response was cut off, and is reproduced from them', async () => {
  const waiting = defineTool({
    name: 'waiting',
    description: 'Waits until it is stopped.',
    parameters: { type: 'object' },
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const answers = [
    reply(call('exec_command', { cmd: 'echo 1' })),
    reply(say('cut'), { incomplete: 'max_output_tokens' }),
    reply(say('fine')),
    reply(call('waiting', {})),
  ];
  let next = 0;
  const { agent } = await libraryScene(
    (request) => (asksForSummary(request) ? fault.status(400, { error: { message: 'No.' } }) : answers[next++]),
    {},
    { tools: [waiting] },
  );
  const thread = await agent.startThread();
  const ended = [
    await thread.run('one', { limits: { maxRequests: 1 } }),
    await thread.run('two'),
    await thread.run('three'),
    await thread.compact(),
    await thread.run('four', { limits: { timeoutMs: 300 } }),
  ];
  await thread.close();
  expect(ended.map(({ error }) => error)).toMatchObject([
    { code: 'limit', limit: { kind: 'requests', value: 1 }, message: 'The limit of 1 requests was reached.' },
    { code: 'incomplete' },
    null,
    { code: 'bad_request' },
    { code: 'limit', limit: { kind: 'time', value: 300 } },
  ]);
  const lines = readFileLines(thread.path ?? '');
  const own = lines.flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []));
  expect(own.filter(({ kind }) => kind === 'turn.failed')).toMatchObject([
    { limit: { kind: 'requests', value: 1 } },
    { cut_off: 'max_output_tokens' },
    { said: 'No.' },
    { limit: { kind: 'time', value: 300 } },
  ]);
  expect(await replayLines(lines)).toMatchObject({ turns: { replayed: 5 }, divergence: null });
});

test('a log of an older version, which recorded that only in words, is reproduced too', async () => {
  const lines = readFileLines(join(import.meta.dirname, 'older-failures.jsonl'));
  expect(await replayLines(lines)).toMatchObject({ turns: { replayed: 5, folded: 0 }, divergence: null });
});
