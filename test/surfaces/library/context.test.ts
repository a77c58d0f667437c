import { expect, test } from 'vitest';
import type { ContextUse, Event } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const contexts = (events: readonly Event[]): ContextUse[] =>
  events.flatMap((event) => (event.type === 'context' ? [event] : []));
const usage = (tokens: number) => ({ usage: { inputTokens: tokens - 100, outputTokens: 100, totalTokens: tokens } });

test('each response tells how much of the window is in use, as Codex shows it', async () => {
  const s = await libraryScene(
    [
      reply(call('exec_command', { cmd: `seq 1 2000` }), usage(20_000)),
      reply(say('one'), usage(112_000)),
      reply(say('a summary')),
    ],
    { sandbox_mode: 'danger-full-access', model_context_window: 200_000 },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  expect(thread.context).toMatchObject({ window: 200_000, percentLeft: 100 });
  await thread.run('hi');
  const [first, withOutput, second] = contexts(s.events);
  // 95 % of the window are 190,000 tokens, of which 12,000 do not count.
  expect(first).toMatchObject({ usedTokens: 20_000, window: 200_000, percentLeft: 96 });
  expect(withOutput?.usedTokens).toBeGreaterThan(20_500);
  expect(second).toMatchObject({ usedTokens: 112_000, percentLeft: 44 });
  expect(thread.context).toMatchObject({ usedTokens: 112_000, percentLeft: 44 });

  await thread.compact();
  const compacted = contexts(s.events).at(-1);
  expect(compacted?.usedTokens).toBeLessThan(20_000);
  expect(compacted).toMatchObject({ percentLeft: 100 });
  await thread.close();
});

test('a resumed thread knows it before its first turn, and the window of an unknown model is null', async () => {
  const s = await libraryScene([reply(say('one'), usage(50_000))], { model: 'nobody-knows' });
  const thread = await s.agent.startThread();
  await thread.run('hi');
  await thread.close();
  const again = await s.agent.resumeThread(thread.id, s.threadOptions());
  expect(again.context).toEqual({ usedTokens: 50_000, window: null, percentLeft: null });
  await again.steer('later');
  expect(s.events.map(({ type }) => type)).toEqual(['thread.started', 'warning', 'context', 'queue.changed']);
  await again.close();
});
