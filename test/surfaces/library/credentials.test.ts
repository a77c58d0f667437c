import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CredentialsRequest } from '../../../src/index.ts';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

test('credentials are asked for before each request, and win over env_key', async () => {
  let count = 0;
  const s = await libraryScene(
    [reply(say('one')), reply(say('two'))],
    {},
    { credentials: () => ({ authorization: `token-number-${++count}`, headers: { 'X-Tenant': 'acme' } }) },
  );
  const thread = await s.agent.startThread();
  await thread.run('go');
  await thread.run('go');
  expect(s.model.requests.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
    ['Bearer token-number-1', 'acme'],
    ['Bearer token-number-2', 'acme'],
  ]);
  await s.agent.close();
});

test('refused credentials are renewed once', async () => {
  const asked: CredentialsRequest[] = [];
  const credentials = async (request: CredentialsRequest) => {
    asked.push(request);
    return { authorization: request.refused ? 'new-token' : 'old-token' };
  };
  const refusal = fault.status(401, { error: { message: 'expired' } });
  const s = await libraryScene([refusal, reply(say('done')), refusal, refusal], {}, { credentials });
  const thread = await s.agent.startThread();
  expect((await thread.run('go')).status).toBe('completed');
  expect(asked).toEqual([
    { provider: 'scripted', refused: false },
    { provider: 'scripted', refused: true },
  ]);
  expect(s.model.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer old-token',
    'Bearer new-token',
  ]);
  expect(await thread.run('go')).toMatchObject({ status: 'failed', error: { code: 'auth' } });
  expect(s.model.requests).toHaveLength(4);
  await s.agent.close();
});

test.each([
  [() => Promise.reject(new Error('the vault is sealed')), '`credentials` failed: the vault is sealed'],
  [() => 'token' as never, 'must return an object with `authorization`'],
  [() => ({ headers: { a: 1 } }) as never, 'must return an object with `authorization`'],
])('a function that fails, or returns something else, fails the turn', async (credentials, message) => {
  const s = await libraryScene([], {}, { credentials });
  const result = await (await s.agent.startThread()).run('go');
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'auth', message: expect.stringContaining(message) },
  });
  expect(s.model.requests).toHaveLength(0);
  await s.agent.close();
});

test('requests at the same time share one call', async () => {
  let calls = 0;
  let finish: () => void = () => {};
  const found = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const credentials = async () => {
    calls++;
    await found;
    return { authorization: 'a-shared-token' };
  };
  const s = await libraryScene(() => reply(say('done')), {}, { credentials });
  const threads = await Promise.all([1, 2, 3].map(() => s.agent.startThread()));
  const turns = threads.map((thread) => thread.run('go'));
  while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  finish();
  expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(Array(3).fill('completed'));
  expect(calls).toBe(1);
  await s.agent.close();
});

test('credentials appear neither in the log, the events, the rollout nor a cassette', async () => {
  const lines: string[] = [];
  const cassette = join(mkdtempSync(join(tmpdir(), 'cassette-')), 'recording.jsonl');
  onTestFinished(() => rmSync(dirname(cassette), { recursive: true }));
  const secret = 'opaque-session-value';
  const s = await libraryScene(
    [fault.status(400, { error: { message: `no access for ${secret} or very-secret-token` } })],
    {},
    {
      credentials: () => ({ authorization: 'Custom very-secret-token', headers: { 'x-tenant': secret } }),
      onLog: (line) => lines.push(line),
      record: cassette,
    },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  const result = await thread.run('go');
  await s.agent.close();
  expect(s.model.requests[0]?.headers['x-tenant']).toBe(secret);
  for (const shown of [lines, s.events, s.rollout(), result, s.agent].map((part) => JSON.stringify(part))) {
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain('very-secret-token');
  }
  expect(readFileSync(cassette, 'utf8')).not.toMatch(/opaque-session-value|very-secret-token/);
});
