import { expect, test } from 'vitest';
import { type RecordedRequest, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { CODEX, runCodex } from '../../../harness/run-codex.ts';
import { asksForSummary, counting, echo, expectValidRequests, outline, textOf } from './scene.ts';

const LIMIT = { model_auto_compact_token_limit: 20_000 };

/** Returns the messages and calls, without the sections of either program about its environment. */
const spoken = (request: RecordedRequest | undefined) =>
  outline(request?.body.input).filter((word) => !/^(permissions|environment|skills|developer)/.test(word));

// Most machines do not have Codex, and it is not what is tested. Without it no test counts as skipped.
if (CODEX) {
  test('Codex continues a thread that Oxbow compacted, and Oxbow continues it after that', async () => {
    const s = await libraryScene((request, n) => {
      if (n === 1) return reply(echo('one'), counting(21_000));
      return reply(say(asksForSummary(request) ? 'OUR SUMMARY' : `answer ${n}`), counting(500));
    }, LIMIT);
    const thread = await s.agent.startThread();
    await thread.run('first');
    await thread.close();
    await runCodex(s, 'resume', thread.id, 'second');
    const theirs = s.model.requests[3];
    expect(spoken(theirs)).toEqual(['user: first', 'summary', 'assistant: answer 3', 'user: second']);
    const resumed = await s.agent.resumeThread(thread.id);
    await resumed.run('third');
    await resumed.close();
    expect(spoken(s.model.requests.at(-1))).toEqual([...spoken(theirs), 'assistant: answer 4', 'user: third']);
    expectValidRequests(s);
  });

  test('Codex compacts a thread that Oxbow compacted, and does not keep the summary as a message of the user', async () => {
    const s = await libraryScene((request, n) => {
      if (n === 1 || n === 4) return reply(echo('one'), counting(21_000));
      if (asksForSummary(request)) return reply(say('OUR SUMMARY'), counting(500));
      return reply(say(request.body.tools?.length === 0 ? 'THEIR SUMMARY' : `answer ${n}`), counting(500));
    }, LIMIT);
    const thread = await s.agent.startThread();
    await thread.run('first');
    await thread.close();
    await runCodex(s, 'resume', thread.id, 'second');
    const last = s.model.requests.at(-1);
    expect(spoken(last)).toEqual(['user: first', 'user: second', 'summary']);
    const texts = last?.body.input?.map(textOf).join('\n');
    expect(texts).toContain('THEIR SUMMARY');
    expect(texts).not.toContain('OUR SUMMARY');
  });

  test('a thread that Codex compacted continues in Oxbow, and its summary is recognized', async () => {
    const s = await libraryScene((request, n) => {
      if (n === 1) return reply(echo('one'), counting(21_000));
      const isSummary = request.body.tools?.length === 0;
      return reply(say(isSummary ? `SUMMARY ${n}` : `answer ${n}`), counting(n === 4 ? 21_000 : 500));
    }, LIMIT);
    const [started = ''] = (await runCodex(s, 'first')).split('\n');
    const { thread_id } = JSON.parse(started);
    const thread = await s.agent.resumeThread(thread_id);
    await thread.run('second');
    expect(spoken(s.model.requests[3])).toEqual(['user: first', 'summary', 'assistant: answer 3', 'user: second']);
    await thread.run('third');
    await thread.close();
    expect(spoken(s.model.requests[5])).toEqual(['user: first', 'user: second', 'summary', 'user: third']);
    expect(s.model.requests[5]?.body.input?.map(textOf).join('\n')).toContain('SUMMARY 5');
    await runCodex(s, 'resume', thread_id, 'fourth');
    expect(spoken(s.model.requests[6]).at(-1)).toBe('user: fourth');
    expect(spoken(s.model.requests[6])).toContain('summary');
    expectValidRequests(s);
  });
} else {
  test('without Codex there is nothing to test', () => {
    expect(CODEX).toBeFalsy();
  });
}
