import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCallOutput } from '../../../src/base/item.ts';
import { defineTool } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => `noted ${String(text)}`,
});

/** Answers a user with a call and an output with a message. */
const script = ({ body }: { body: { input?: readonly unknown[] } }) => {
  const last = body.input?.at(-1) as Parameters<typeof isCallOutput>[0];
  return isCallOutput(last) ? reply(say('done')) : reply(call('note', { text: 'hello' }));
};

test('threads without commands keep no processes, however many there are', async () => {
  const s = await libraryScene(script, {}, { tools: [note] });
  const before = children();
  const threads = await Promise.all(Array.from({ length: 100 }, () => s.agent.startThread()));
  const results = await Promise.all(threads.map((thread) => thread.run('go')));
  expect(results.filter(({ finalResponse }) => finalResponse !== 'done')).toEqual([]);
  await expect.poll(() => children() - before, { timeout: 20_000 }).toBeLessThanOrEqual(0);
  // Idle threads do not keep their logs open either.
  expect(openRollouts()).toEqual([]);
  await Promise.all(threads.map((thread) => thread.close()));
});

function children(): number {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).length;
}

function openRollouts(): string[] {
  return readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).includes('rollout-'));
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
