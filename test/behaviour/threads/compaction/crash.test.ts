import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Agent } from '../../../../src/index.ts';
import { reply, say } from '../../../../src/testing/index.ts';
import { foldLines } from '../../../harness/fold-lines.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { notCompared } from '../../../harness/replay-rollouts.ts';
import { counting, echo, expectValidRequests, outline } from './scene.ts';

const LIMIT = { model_auto_compact_token_limit: 20_000 };

async function goOn(agent: Agent, id: string, input: string) {
  const thread = await agent.resumeThread(id);
  const result = await thread.run(input);
  await thread.close();
  return result;
}

test('a compacted thread continues in another process', async () => {
  const s = await libraryScene(
    [reply(echo('one'), counting(21_000)), reply(say('SUMMARY')), reply(say('one')), reply(say('two'))],
    LIMIT,
  );
  const thread = await s.agent.startThread();
  await thread.run('first');
  await thread.steer([{ type: 'text', text: 'queued' }]);
  await thread.close();
  const resumed = await s.agent.resumeThread(thread.id);
  expect(resumed.state).toEqual(foldLines(s.rollout()));
  await resumed.run('second');
  await resumed.close();
  expect(outline(s.model.requests[3]?.body.input)).toEqual([
    'permissions',
    'environment',
    'user: first',
    'summary',
    'assistant: one',
    'user: queued',
    'user: second',
  ]);
  expectValidRequests(s);
});

test('a crash between any two lines of a compaction leaves a thread that goes on', async () => {
  notCompared('the log is cut behind the back of the thread');
  const s = await libraryScene((request, n) => {
    if (n === 1) return reply(echo('one'), counting(21_000));
    return reply(say(request.body.tools?.length === 0 ? 'SUMMARY' : 'fine'), counting(500));
  }, LIMIT);
  const thread = await s.agent.startThread();
  await thread.run('first');
  await thread.close();
  const path = thread.path ?? '';
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const from = lines.findIndex((line) => line.includes('"purpose":"summary"'));
  const to = lines.findIndex((line) => line.includes('"cause":"compaction"'));
  expect(to - from).toBeGreaterThan(3);
  for (let end = from; end <= to + 1; end++) {
    writeFileSync(path, `${lines.slice(0, end).join('\n')}\n`);
    expect(await goOn(s.agent, thread.id, `after ${end}`)).toMatchObject({
      status: 'completed',
      finalResponse: 'fine',
    });
    // Half of the line that was being written.
    writeFileSync(path, `${lines.slice(0, end).join('\n')}\n${lines[end]?.slice(0, 40)}`);
    expect(await goOn(s.agent, thread.id, `after half of ${end}`)).toMatchObject({ status: 'completed' });
  }
  expectValidRequests(s);
});

test('compacting by hand', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('SUMMARY')), reply(say('two'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.compact()).toMatchObject({ status: 'completed' });
  expect(s.model.requests).toHaveLength(0);
  await thread.run('first');
  expect(await thread.compact()).toMatchObject({ status: 'completed', finalResponse: '' });
  expect(outline(thread.state.history)).toEqual(['user: first', 'summary']);
  expect(await thread.compact()).toMatchObject({ status: 'completed' });
  expect(s.events.filter(({ type }) => type === 'compacted')).toMatchObject([{ reason: 'asked' }]);
  await thread.run('second');
  await thread.close();
  expect(outline(s.model.requests[2]?.body.input)).toEqual([
    'user: first',
    'summary',
    'permissions',
    'environment',
    'user: second',
  ]);
});

test('an interrupted compaction leaves the history unchanged', async () => {
  const stop = new AbortController();
  const s = await libraryScene((_, n) => {
    if (n === 2) stop.abort();
    return reply(say('one'));
  });
  const thread = await s.agent.startThread();
  await thread.run('first');
  const before = outline(thread.state.history);
  expect(await thread.compact({ signal: stop.signal })).toMatchObject({ status: 'aborted' });
  expect(outline(thread.state.history).slice(0, before.length)).toEqual(before);
  expect(s.rollout().some(({ type }) => type === 'compacted')).toBe(false);
  await thread.close();
});
