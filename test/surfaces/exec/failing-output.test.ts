import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const INTO_FULL = ['/bin/sh', '-c', '"$0" "$@" > /dev/full'];
const SENTENCE = /^oxbow: The output cannot be written \(ENOSPC[^\n]*\)\. Make room, or write it elsewhere\.\n$/;

describe.skipIf(!existsSync('/dev/full'))('standard output on a full disk', () => {
  test.each([
    ['--help'],
    ['--version'],
    ['exec', '--help'],
    ['threads'],
    ['threads', '--json'],
    ['usage'],
    ['usage', '--json'],
    ['config'],
    ['doctor', '--json'],
    ['completion', 'bash'],
  ])('ends %s %s with a sentence', async (...args) => {
    const { workspace, model } = await scene([reply(say('done'))]);
    await runOxbow(['exec', 'hello'], { workspace, model });
    const { code, stderr } = await runOxbow(args, { workspace, model, wrap: INTO_FULL });
    expect(stderr).toMatch(SENTENCE);
    expect(code).toBe(1);
  });

  test('ends exec with a sentence, and its thread goes on', async () => {
    const { workspace, model } = await scene([reply(say('one')), reply(say('two')), reply(say('three'))]);
    const { code, stderr } = await runOxbow(['exec', '--json', 'hello'], { workspace, model, wrap: INTO_FULL });
    expect(stderr).toMatch(SENTENCE);
    expect(code).toBe(1);
    const resumed = await runOxbow(['exec', '--json', 'resume', '--last', 'go on'], { workspace, model });
    expect(resumed.code).toBe(0);
  });
});

test('a log that cannot be opened is told in the events of exec', async () => {
  const { workspace, model } = await scene([reply(say('done'))]);
  mkdirSync(join(workspace.home, 'sessions'));
  writeFileSync(join(workspace.home, `sessions/${new Date().getFullYear()}`), 'in the way');
  const { code, events, stderr } = await runOxbow(['exec', '--json', 'hello'], { workspace, model });
  const message = expect.stringContaining('The thread cannot be kept in ');
  expect(events.slice(-2)).toEqual([
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ]);
  expect(stderr).toContain('The thread cannot be kept in ');
  expect(code).toBe(1);
});
