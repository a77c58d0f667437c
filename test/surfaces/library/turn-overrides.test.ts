import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../src/index.ts';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { scene } from '../../harness/scene.ts';

const contexts = (s: LibraryScene) =>
  s.rollout().flatMap((line) => (line.type === 'turn_context' ? [line.payload] : []));
const causes = (s: LibraryScene) =>
  s
    .rollout()
    .flatMap((line) => (line.type === 'oxbow' && line.payload.kind === 'prefix.changed' ? [line.payload.cause] : []));

describe('a turn with its own settings', () => {
  test('uses another model with another effort, and the next turn uses those of the agent again', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two')), reply(say('three'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one');
    await thread.run('two', { model: 'gpt-5.5-other', effort: 'high', summary: 'none', verbosity: 'low' });
    await thread.run('three');
    const [first, second, third] = s.model.requests.map(({ body }) => body);
    expect(second).toMatchObject({ model: 'gpt-5.5-other', reasoning: { effort: 'high' }, text: { verbosity: 'low' } });
    for (const body of [first, third]) {
      expect(body).toMatchObject({ model: 'scripted', reasoning: { summary: 'auto' } });
      expect(body?.reasoning).not.toHaveProperty('effort');
      expect(body).not.toHaveProperty('text');
    }
    expect(contexts(s).map(({ model, effort, summary }) => [model, effort, summary])).toEqual([
      ['scripted', undefined, 'auto'],
      ['gpt-5.5-other', 'high', 'none'],
      ['scripted', undefined, 'auto'],
    ]);
    expect(causes(s)).toEqual(['start', 'tools', 'model', 'tools', 'model']);
    await thread.close();
  });

  test('uses another provider, which is logged, and sends it the history', async () => {
    const other = await scene([reply(say('from the other'))]);
    const s = await libraryScene([reply(say('one')), reply(say('three'))], {
      model_providers: { other: { base_url: other.model.url, wire_api: 'chat' } },
    });
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one');
    const result = await thread.run('two', { provider: 'other', model: 'elsewhere' });
    expect(result.finalResponse).toBe('from the other');
    await thread.run('three');
    expect(other.model.requests.map(({ body }) => body.model)).toEqual(['elsewhere']);
    expect(JSON.stringify(other.model.requests[0]?.body)).toContain('one');
    expect(JSON.stringify(s.model.requests[1]?.body.input)).toContain('from the other');
    expect(contexts(s).map(({ model_provider }) => model_provider)).toEqual([undefined, 'other', undefined]);
    expect(causes(s).filter((cause) => cause === 'provider')).toHaveLength(2);
    await thread.close();
  });

  test('runs its commands under another sandbox and policy, and running terminals continue', async () => {
    const s = await libraryScene(
      [
        reply(
          call('exec_command', { cmd: 'until [ -e go ]; do sleep 0.02; done; echo went > later', yield_time_ms: 250 }),
        ),
        reply(say('started')),
        reply(call('exec_command', { cmd: 'echo x > denied' })),
        reply(say('denied')),
        reply(call('exec_command', { cmd: 'echo x > allowed; touch go; until [ -e later ]; do sleep 0.02; done' })),
        reply(say('allowed')),
      ],
      { sandbox_mode: 'workspace-write' },
    );
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one');
    await thread.run('two', { sandboxMode: 'read-only', approvalPolicy: 'never' });
    await thread.run('three');
    const made = ['denied', 'allowed', 'later'].map((name) => existsSync(join(s.workspace.path, name)));
    expect(made).toEqual([false, true, true]);
    expect(contexts(s).map(({ sandbox_policy, approval_policy }) => [sandbox_policy.type, approval_policy])).toEqual([
      ['workspace-write', 'on-request'],
      ['read-only', 'never'],
      ['workspace-write', 'on-request'],
    ]);
    const told = s.model.requests.map(({ body }) => JSON.stringify(body.input).includes('`read-only`'));
    expect(told).toEqual([false, false, true, true, true, true]);
    await thread.close();
  });

  test('may write to more folders and use the network', async () => {
    const s = await libraryScene([reply(say('one'))], { sandbox_mode: 'workspace-write' });
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one', { writableRoots: ['more', '/opt/elsewhere'], networkAccess: true });
    const [context] = contexts(s);
    expect(context?.sandbox_policy).toMatchObject({ network_access: true });
    expect(context?.sandbox_policy.writable_roots).toEqual(
      expect.arrayContaining([s.workspace.path, join(s.workspace.path, 'more'), '/opt/elsewhere']),
    );
    await thread.close();
  });

  test('with invalid settings is refused before it begins, and the thread goes on', async () => {
    const s = await libraryScene([reply(say('one'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    await expect(thread.run('x', { provider: 'nowhere' })).rejects.toThrow(UserError);
    await expect(thread.run('x', { sandboxMode: 'open' as never })).rejects.toThrow(
      'sandboxMode is "open", which is not one of read-only, workspace-write, danger-full-access.',
    );
    await expect(thread.run('x', { approvalPolicy: 'always' as never })).rejects.toThrow(UserError);
    expect(s.events).toEqual([]);
    expect((await thread.run('one')).finalResponse).toBe('one');
    await thread.close();
  });

  test('approvals for the rest of the thread apply in turns with another policy', async () => {
    const s = await libraryScene([
      reply(call('exec_command', { cmd: 'touch asked' })),
      reply(say('one')),
      reply(call('exec_command', { cmd: 'touch asked' })),
      reply(say('two')),
    ]);
    const asked: string[] = [];
    const thread = await s.agent.startThread(
      s.threadOptions({
        async ask({ reason }) {
          asked.push(reason);
          return { type: 'approve', scope: { type: 'thread' } };
        },
      }),
    );
    await thread.run('one', { approvalPolicy: 'untrusted' });
    await thread.run('two', { approvalPolicy: 'untrusted', effort: 'low' });
    expect(asked).toHaveLength(1);
    await thread.close();
  });
});

test('a compaction may use another model', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('the summary'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  expect((await thread.compact({ model: 'small' })).status).toBe('completed');
  expect(s.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'small']);
  await thread.close();
});

test('a compaction takes the provider and the effort too', async () => {
  const other = await scene([reply(say('the summary'))]);
  const s = await libraryScene([reply(say('one')), reply(say('two'))], {
    model_providers: { other: { base_url: other.model.url, wire_api: 'responses' } },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  const options = { provider: 'other', model: 'elsewhere', effort: 'low', sandboxMode: 'read-only' } as const;
  expect((await thread.compact(options)).status).toBe('completed');
  expect(other.model.requests.map(({ body }) => body)).toMatchObject([
    { model: 'elsewhere', reasoning: { effort: 'low' } },
  ]);
  await thread.run('two');
  expect(contexts(s).map(({ model, effort }) => [model, effort])).toEqual([
    ['scripted', undefined],
    ['elsewhere', 'low'],
    ['scripted', undefined],
  ]);
  await thread.close();
});

test('everything can be switched between two turns while a terminal keeps running', async () => {
  const other = await scene([reply(call('write_stdin', { session_id: 50500, chars: '' })), reply(say('polled'))]);
  const s = await libraryScene(
    [
      reply(call('exec_command', { cmd: 'echo ready; until [ -e go ]; do sleep 0.02; done', yield_time_ms: 250 })),
      reply(say('started')),
    ],
    {
      sandbox_mode: 'danger-full-access',
      model_providers: { other: { base_url: other.model.url, wire_api: 'responses' } },
    },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  const [terminal] = thread.terminals;
  expect(terminal?.id).toBe(50_500);
  const result = await thread.run('two', {
    provider: 'other',
    model: 'elsewhere',
    effort: 'high',
    approvalPolicy: 'never',
    sandboxMode: 'read-only',
  });
  expect(result.finalResponse).toBe('polled');
  const polled = JSON.stringify(other.model.requests[1]?.body.input?.at(-1));
  expect(polled).toContain('running with session ID 50500');
  expect(thread.terminals).toEqual([terminal]);
  expect(contexts(s).at(-1)).toMatchObject({
    model: 'elsewhere',
    model_provider: 'other',
    effort: 'high',
    approval_policy: 'never',
    sandbox_policy: { type: 'read-only' },
  });
  await thread.close();
});

test('input and commands during a turn have the settings of the turn', async () => {
  let go = () => {};
  const open = new Promise<void>((resolve) => {
    go = resolve;
  });
  const s = await libraryScene([reply(say('working'), gate(open)), reply(say('two')), reply(say('three'))], {
    sandbox_mode: 'workspace-write',
  });
  const thread = await s.agent.startThread(s.threadOptions());
  const turn = thread.run('one', { model: 'gpt-5.5-other', effort: 'high', sandboxMode: 'read-only' });
  while (!s.events.some(({ type }) => type === 'text.delta')) await new Promise((resolve) => setTimeout(resolve, 5));
  await thread.steer('more');
  await thread.runCommand('echo x > denied');
  go();
  expect((await turn).finalResponse).toBe('two');
  await thread.runCommand('echo x > allowed');
  await thread.run('again');
  expect(s.model.requests.map(({ body }) => body)).toMatchObject([
    { model: 'gpt-5.5-other', reasoning: { effort: 'high' } },
    { model: 'gpt-5.5-other', reasoning: { effort: 'high' } },
    { model: 'scripted' },
  ]);
  expect(['denied', 'allowed'].map((name) => existsSync(join(s.workspace.path, name)))).toEqual([false, true]);
  await thread.close();
});
