import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { defineTool, type OwnToolContext, type ThreadOptions, UserError, type Warning } from '../../../src/index.ts';
import { call, customCall, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { WIRES } from '../../harness/wires.ts';

const none = { type: 'object', properties: {} } as const;
const named = (name: string) => defineTool({ name, description: name, parameters: none, run: () => `from ${name}` });

function offered(s: LibraryScene, request: number): string[] {
  const tools = s.model.requests[request]?.body.tools ?? [];
  return tools.flatMap((tool) => ('name' in tool && typeof tool.name === 'string' ? [tool.name] : []));
}

const inputOf = (s: LibraryScene, request: number) => JSON.stringify(s.model.requests[request]?.body.input);

test('the tools of a thread replace those of the agent', async () => {
  const s = await libraryScene(
    [reply(call('own', {}), call('shared', {})), reply(say('done')), reply(say('plain')), reply(say('later'))],
    {},
    { tools: [named('shared')] },
  );
  const thread = await s.agent.startThread({ tools: [named('own')] });
  await thread.run('go');
  expect(offered(s, 0)).toContain('own');
  expect(offered(s, 0)).not.toContain('shared');
  expect([...s.outputs(1).values()]).toEqual(['from own', 'unsupported call: shared']);
  const plain = await s.agent.startThread();
  await plain.run('go');
  expect(offered(s, 2)).toContain('shared');
  await thread.close();
  const resumed = await s.agent.resumeThread(thread.id, { tools: () => [named('later')] });
  await resumed.run('go');
  expect(offered(s, 3)).toContain('later');
  await s.agent.close();
});

test('a thread works in its own folder: files, AGENTS.md, settings and the sandbox', async () => {
  const warnings: Warning[] = [];
  const s = await libraryScene(
    [
      reply(
        call('exec_command', { cmd: 'pwd; echo made > made.txt' }, { callId: 'here' }),
        call('exec_command', { cmd: 'echo no > ../outside.txt' }, { callId: 'outside' }),
        customCall('apply_patch', '*** Begin Patch\n*** Add File: patched.txt\n+patched\n*** End Patch', {
          callId: 'patch',
        }),
      ),
      reply(say('done')),
      reply(say('forked')),
      reply(say('at home')),
    ],
    {
      sandbox_mode: 'workspace-write',
      sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true },
    },
    { onWarning: (warning) => warnings.push(warning) },
  );
  const folder = join(s.workspace.path, 'sub');
  mkdirSync(join(folder, '.codex'), { recursive: true });
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'AGENTS.md'), 'Speak like a ferryman.');
  writeFileSync(join(folder, '.codex', 'config.toml'), 'model = "other"');
  const thread = await s.agent.startThread({ cwd: 'sub' });
  await thread.run('go');
  expect(inputOf(s, 0)).toContain('ferryman');
  expect(inputOf(s, 0)).toContain(`<cwd>${folder}</cwd>`);
  expect(s.outputs(1).get('here')).toContain(folder);
  expect(existsSync(join(folder, 'made.txt'))).toBe(true);
  expect(existsSync(join(folder, 'patched.txt'))).toBe(true);
  expect(existsSync(join(s.workspace.path, 'outside.txt'))).toBe(false);
  // The project of the folder is not trusted, which this agent learns with the thread.
  expect(warnings.filter(({ message }) => message.includes(join(folder, '.codex')))).toHaveLength(1);
  expect(await s.agent.threads.find(thread.id)).toMatchObject({ cwd: folder });

  const fork = await s.agent.forkThread(thread.id, { cwd: folder });
  await fork.run('go');
  expect(await s.agent.threads.find(fork.id)).toMatchObject({ cwd: folder });
  await thread.close();
  const home = await s.agent.resumeThread(thread.id);
  await home.run('go');
  expect(inputOf(s, 3)).toContain(`<cwd>${s.workspace.path}</cwd>`);
  await s.agent.close();
});

test('a thread has a model of its own, and a turn may have another', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('two')), reply(say('three'))]);
  const thread = await s.agent.startThread({ model: 'slow' });
  await thread.run('go');
  await thread.run('go', { model: 'fast' });
  await thread.run('go');
  expect(s.model.requests.map(({ body }) => body.model)).toEqual(['slow', 'fast', 'slow']);
  expect(s.agent.model).toBe('scripted');
  await s.agent.close();
});

test('the context of a thread reaches its tools, and is neither stored nor sent', async () => {
  interface Tenant {
    readonly tenant: string;
  }
  const asked: unknown[] = [];
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks up.',
    parameters: none,
    needsApproval(_, { context }) {
      asked.push(context);
      return false;
    },
    run(_, { context }: OwnToolContext<Tenant>) {
      expectTypeOf(context).toEqualTypeOf<Tenant>();
      return `of ${context.tenant.length} letters`;
    },
  });
  const s = await libraryScene([reply(call('look_up', {})), reply(say('done'))], {}, { tools: [lookUp] });
  const context: Tenant = { tenant: 'a secret name' };
  const thread = await s.agent.startThread({ context });
  await thread.run('go');
  expect(asked).toEqual([context]);
  expect(asked[0]).toBe(context);
  expect([...s.outputs(1).values()]).toEqual(['of 13 letters']);
  expect(JSON.stringify([s.rollout(), s.model.requests])).not.toContain('secret name');
  await s.agent.close();
});

test.each<[string, unknown, string]>([
  ['tools', {}, 'a list of tools, or a function that returns one'],
  ['cwd', '', 'a text that is not empty'],
  ['model', 5, 'a text that is not empty'],
  ['ask', 'yes', 'a function'],
  ['ephemeral', 'no', 'true or false'],
])('the option %s cannot be %j', async (name, value, words) => {
  const s = await libraryScene([]);
  const starting = s.agent.startThread({ [name]: value } as ThreadOptions);
  await expect(starting).rejects.toThrow(`The option "${name}" of startThread must be ${words}.`);
  await expect(starting).rejects.toBeInstanceOf(UserError);
});

test('a folder that does not exist is an error', async () => {
  const s = await libraryScene([]);
  await expect(s.agent.startThread({ cwd: 'nowhere' })).rejects.toMatchObject({
    code: 'not_found',
    message: `${join(s.workspace.path, 'nowhere')} is not a folder.`,
  });
});

describe('metadata', () => {
  test('is kept with a thread, returned by lists, and found', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two')), reply(say('three'))]);
    const mine = await s.agent.startThread({ metadata: { user: 'ann', ticket: '17' } });
    await mine.run('go');
    await mine.close();
    const other = await s.agent.startThread({ metadata: { user: 'bob' } });
    await other.run('go');
    const plain = await s.agent.startThread();
    await plain.run('go');
    await mine.close();
    const fork = await s.agent.forkThread(mine.id);
    const renewed = await s.agent.forkThread(mine.id, { metadata: { user: 'eve' } });

    const listed = async (metadata: Readonly<Record<string, string>>) => {
      const ids = new Set<string>();
      for await (const { id } of s.agent.threads.list({ metadata })) ids.add(id);
      return ids;
    };
    expect(await listed({ user: 'ann' })).toEqual(new Set([mine.id, fork.id]));
    expect(await listed({ user: 'ann', ticket: '18' })).toEqual(new Set());
    expect(await listed({ user: 'eve' })).toEqual(new Set([renewed.id]));
    expect((await s.agent.threads.find(mine.id)).metadata).toEqual({ user: 'ann', ticket: '17' });
    expect((await s.agent.threads.show(other.id)).metadata).toEqual({ user: 'bob' });
    expect((await s.agent.threads.find(plain.id)).metadata).toEqual({});
    expect(JSON.stringify(s.model.requests)).not.toContain('ticket');
    await expect(listed({ user: undefined as never })).rejects.toThrow(
      'The option "metadata" of threads.list must be an object of texts',
    );
    await s.agent.close();
  });

  test.each([[['user']], [{ user: 5 }], [{ long: 'x'.repeat(17_000) }], ['ann']])('cannot be %j', async (metadata) => {
    const s = await libraryScene([]);
    await expect(s.agent.startThread({ metadata: metadata as never })).rejects.toThrow(
      'The option "metadata" of startThread must be an object of texts, with at most 16384 bytes as JSON.',
    );
  });
});

describe('history', () => {
  const history = [
    { role: 'user', text: 'My name is Ann.' },
    { role: 'assistant', text: 'Hello Ann.' },
    { role: 'user', text: 'I like ferries.' },
    { role: 'assistant', text: 'So do I.' },
  ] as const;

  test.each(WIRES)('goes to the model in order, over %s, also after a resume', async (wire) => {
    const s = await libraryScene([reply(say('one')), reply(say('two'))], {
      model_providers: { scripted: { wire_api: wire } },
    });
    const thread = await s.agent.startThread({ history });
    await thread.run('Who am I?');
    await thread.close();
    const resumed = await s.agent.resumeThread(thread.id);
    await resumed.run('Again?');
    for (const { body } of s.model.requests) {
      const sent = JSON.stringify(body.input ?? body);
      const places = [...history.map(({ text }) => text), 'Who am I?'].map((text) => sent.indexOf(text));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places).not.toContain(-1);
    }
    const items = (await s.agent.threads.items(thread.id)).map(({ item }) => ('text' in item ? item.text : item.type));
    expect(items).toEqual([...history.map(({ text }) => text), 'Who am I?', 'one', 'Again?', 'two']);
    await s.agent.close();
  });

  test('also begins a thread whose first input is queued, and one without a rollout', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two'))]);
    const thread = await s.agent.startThread({ history });
    await thread.steer('Who am I?');
    await thread.run([]);
    expect(inputOf(s, 0)).toMatch(/My name is Ann.*So do I.*Who am I/);
    const ephemeral = await s.agent.startThread({ history, ephemeral: true });
    await ephemeral.run('Who am I?');
    expect(inputOf(s, 1)).toMatch(/My name is Ann.*So do I.*Who am I/);
    await s.agent.close();
  });

  test.each([[[{ role: 'system', text: 'x' }]], [[{ role: 'user', text: '' }]], [['hello']], ['hello']])(
    'cannot be %j',
    async (wrong) => {
      const s = await libraryScene([]);
      await expect(s.agent.startThread({ history: wrong as never })).rejects.toThrow(
        'The option "history" of startThread must be a list of { role, text }',
      );
    },
  );

  test('is refused for a thread that has one', async () => {
    const s = await libraryScene([reply(say('one'))]);
    const thread = await s.agent.startThread();
    await thread.run('go');
    await thread.close();
    for (const option of ['history', 'metadata'])
      await expect(s.agent.resumeThread(thread.id, { [option]: [] } as object)).rejects.toThrow(
        `resumeThread has no option "${option}": only a new thread has it.`,
      );
    await expect(s.agent.forkThread(thread.id, { history } as object)).rejects.toThrow('has no option "history"');
  });
});
