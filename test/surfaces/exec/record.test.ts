import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgent } from '../../../src/index.ts';
import { call, reply, say, startCassetteServer } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const SCRIPT = [reply(call('exec_command', { cmd: 'echo hi' })), reply(say('It says hi.'))];

test('a recorded exchange is replayed by a server and in process, and holds no key', async () => {
  const s = await scene(SCRIPT);
  const recorded = await runOxbow(['exec', '--record', 'tape.jsonl', 'say hi'], {
    ...s,
    env: { SCRIPTED_KEY: 'sk-very-secret-key' },
  });
  expect(recorded.stdout).toBe('It says hi.\n');
  const tape = s.workspace.file('tape.jsonl');
  expect(readFileSync(tape, 'utf8')).not.toContain('very-secret');
  expect(statSync(tape).mode & 0o777).toBe(0o600);

  const server = await startCassetteServer(tape);
  try {
    const replayed = await runOxbow(['exec', 'say hi'], { ...s, model: server });
    expect(replayed.stdout).toBe('It says hi.\n');
    expect(server.mismatches).toEqual([]);
  } finally {
    await server.close();
  }

  const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH };
  const agent = createAgent({ env, cwd: s.workspace.path, replay: tape });
  const thread = await agent.startThread({ ephemeral: true });
  expect((await thread.run('say hi')).finalResponse).toBe('It says hi.');
  expect((await thread.run('something else')).error?.message).toContain('The cassette');
  await thread.close();
  expect(s.model.requests).toHaveLength(2);
});

test('a link in the place of a cassette is not followed', async () => {
  const s = await scene([]);
  symlinkSync(join(s.workspace.home, 'new'), join(s.workspace.path, 'tape.jsonl'));
  const result = await runOxbow(['exec', '--record', 'tape.jsonl', 'x'], s);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain('tape.jsonl: it is a link. Name the file itself, or delete the link.');
  expect(existsSync(join(s.workspace.home, 'new'))).toBe(false);
});

test('a cassette that cannot be written or read is named', async () => {
  const s = await scene([]);
  const result = await runOxbow(['exec', '--record', '/proc/no/tape', 'x'], s);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain('The exchange cannot be recorded in /proc/no/tape');
  const agent = createAgent({ env: { OXBOW_HOME: s.workspace.home }, cwd: s.workspace.path, replay: '/no/tape' });
  await expect(agent.startThread()).rejects.toThrow('The cassette /no/tape cannot be read');
});
