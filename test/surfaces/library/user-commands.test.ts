import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { messageText } from '../../../src/base/item.ts';
import { type CommandItem, createAgent, type Event, type Thread } from '../../../src/index.ts';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { notCompared } from '../../harness/replay-rollouts.ts';

const FULL = { sandbox_mode: 'danger-full-access' };

/** Returns the texts of the user's messages in a request that tell of commands. */
function told(s: LibraryScene, request: number): string[] {
  const input = s.model.requests[request]?.body.input ?? [];
  const texts = input.flatMap((item) => (item.type === 'message' && item.role === 'user' ? [messageText(item)] : []));
  return texts.filter((text) => text.startsWith('<user_shell_command>'));
}

async function commandsIn(thread: Thread): Promise<CommandItem[]> {
  const items: CommandItem[] = [];
  for await (const item of thread.items()) if (item.type === 'command') items.push(item);
  return items;
}

const seen = (events: readonly Event[], type: Event['type']) => events.filter((event) => event.type === type);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a command of the user', () => {
  test('runs before the first turn, is shown, and the model is told once', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    const { item, interrupted } = await thread.runCommand('echo out; echo err >&2; exit 3');
    expect(interrupted).toBe(false);
    expect(item).toMatchObject({ by: 'user', output: 'out\nerr\n', exitCode: 3, status: 'failed' });
    expect(item.argv.at(-1)).toBe('echo out; echo err >&2; exit 3');
    expect(s.events.map(({ type }) => type).filter((type) => /item|command|thread/.test(type))).toEqual([
      'thread.started',
      'item.started',
      ...seen(s.events, 'command.output').map(({ type }) => type),
      'item.completed',
    ]);
    expect(
      seen(s.events, 'command.output')
        .map((event) => 'text' in event && event.text)
        .join(''),
    ).toBe('out\nerr\n');
    await thread.run('hi');
    await thread.run('again');
    expect(told(s, 0)).toHaveLength(1);
    expect(told(s, 0)[0]).toMatch(
      /^<user_shell_command>\n<command>\necho out; echo err >&2; exit 3\n<\/command>\n<result>\nExit code: 3\nDuration: \d+\.\d{4} seconds\nOutput:\nout\nerr\n\n<\/result>\n<\/user_shell_command>$/,
    );
    expect(told(s, 1)).toEqual(told(s, 0));
    expect(await commandsIn(thread)).toEqual([item]);
    await thread.close();
  });

  test('runs while a response streams, and goes with the next request after the outputs of calls', async () => {
    let go = () => {};
    const open = new Promise<void>((resolve) => {
      go = resolve;
    });
    const s = await libraryScene(
      [reply(say('working'), gate(open), call('exec_command', { cmd: 'echo model' })), reply(say('done'))],
      FULL,
    );
    const thread = await s.agent.startThread(s.threadOptions());
    const turn = thread.run('hi');
    await until(() => seen(s.events, 'text.delta').length > 0);
    const { item } = await thread.runCommand('echo user');
    expect(thread.running).toBe(true);
    go();
    expect((await turn).status).toBe('completed');
    expect(told(s, 0)).toEqual([]);
    expect(told(s, 1)[0]).toContain('Output:\nuser\n');
    expect(s.model.requests[1]?.body.input?.at(-1)).toMatchObject({ role: 'user' });
    expect((await commandsIn(thread)).map(({ output, by }) => [output, by])).toEqual([
      ['user\n', 'user'],
      ['model\n', undefined],
    ]);
    expect(item.by).toBe('user');
    await thread.close();
  });

  test('that ends after the answer waits for the next turn, and does not keep the turn from ending', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    const command = thread.runCommand('until [ -e go ]; do sleep 0.01; done; echo late');
    await until(() => seen(s.events, 'item.started').length > 0);
    expect((await thread.run('hi')).status).toBe('completed');
    writeFileSync(join(s.workspace.path, 'go'), '');
    await command;
    await thread.run('again');
    expect(s.model.requests).toHaveLength(2);
    expect(told(s, 0)).toEqual([]);
    expect(told(s, 1)[0]).toContain('late');
    await thread.close();
  });

  test('is interrupted by its signal, with everything that it started', async () => {
    const s = await libraryScene([reply(say('one'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    const stop = new AbortController();
    const running = thread.runCommand('echo begun; sleep 300 & sleep 300', { signal: stop.signal });
    await until(() => seen(s.events, 'command.output').length > 0);
    stop.abort();
    const { item, interrupted } = await running;
    expect(interrupted).toBe(true);
    expect(item).toMatchObject({ status: 'failed', output: 'begun\n' });
    await thread.run('hi');
    expect(told(s, 0)[0]).toContain('The user interrupted the command.');
    await expect(thread.runCommand('true', { signal: stop.signal })).rejects.toThrow();
    await thread.close();
  });

  test('ends with the thread, and a resumed thread tells the model', async () => {
    const s = await libraryScene([reply(say('one'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    const running = thread.runCommand('echo begun; sleep 300');
    await until(() => seen(s.events, 'command.output').length > 0);
    await thread.close();
    expect((await running).interrupted).toBe(true);
    const again = await s.agent.resumeThread(thread.id, s.threadOptions());
    await again.run('hi');
    expect(told(s, 0)[0]).toContain('begun');
    expect(await commandsIn(again)).toHaveLength(1);
    expect((await s.agent.replay(thread.id)).reproduced).toBe(true);
    await again.close();
  });

  test('whose process died has an unknown outcome', async () => {
    notCompared('the file is cut off where a process could have died');
    const s = await libraryScene([reply(say('one')), reply(say('two'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('hi');
    const running = thread.runCommand('echo begun; sleep 300');
    await until(() => seen(s.events, 'command.output').length > 0);
    const path = thread.path ?? '';
    const then = readFileSync(path);
    await thread.close();
    await running;
    writeFileSync(path, then);
    const again = await s.agent.resumeThread(thread.id, s.threadOptions());
    expect((await again.run('go on')).status).toBe('completed');
    expect(told(s, 1)[0]).toContain('The outcome is unknown');
    expect(await commandsIn(again)).toMatchObject([{ status: 'failed', exitCode: null, by: 'user' }]);
    await again.close();
  });

  test('whose process died in the middle of a turn has an unknown outcome too', async () => {
    notCompared('the file is cut off where a process could have died');
    const s = await libraryScene(
      [
        reply(say('one'), gate(new Promise(() => {}))),
        reply(call('exec_command', { cmd: 'echo model' })),
        reply(say('two')),
      ],
      FULL,
    );
    const thread = await s.agent.startThread(s.threadOptions());
    const turn = thread.run('hi');
    await until(() => seen(s.events, 'text.delta').length > 0);
    const running = thread.runCommand('echo begun; sleep 300');
    await until(() => seen(s.events, 'command.output').length > 0);
    const path = thread.path ?? '';
    const then = readFileSync(path);
    await thread.close();
    await Promise.all([turn, running]);
    writeFileSync(path, then);
    const again = await s.agent.resumeThread(thread.id, s.threadOptions());
    await again.steer('more');
    expect((await again.run('go on')).finalResponse).toBe('two');
    expect(told(s, 1)[0]).toContain('The outcome is unknown');
    expect(told(s, 2)).toHaveLength(1);
    await again.close();
  });

  test('has the sandbox of the thread, of the running turn, or its own', async () => {
    const s = await libraryScene([reply(say('one'))], { sandbox_mode: 'workspace-write', approval_policy: 'never' });
    const thread = await s.agent.startThread(s.threadOptions());
    const made = (name: string) => existsSync(join(s.workspace.path, name));
    await thread.runCommand('touch inside');
    const denied = await thread.runCommand('touch denied', { sandboxMode: 'read-only' });
    expect([made('inside'), made('denied')]).toEqual([true, false]);
    expect(denied.item).toMatchObject({ status: 'failed', reason: { cause: 'sandbox' } });
    // A command that a model would have to ask for is the user's own wish.
    await thread.runCommand('mkdir old && rm -rf old && touch removed');
    expect(made('removed')).toBe(true);
    await thread.close();
  });

  test('that a rule forbids does not run, and the model is not told', async () => {
    const s = await libraryScene([reply(say('one'))], FULL);
    mkdirSync(join(s.workspace.home, 'rules'));
    const rule = 'prefix_rule(pattern = ["touch"], decision = "forbidden", justification = "Nothing is touched.")\n';
    writeFileSync(join(s.workspace.home, 'rules', 'default.rules'), rule);
    const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'key' };
    const agent = createAgent({ env, cwd: s.workspace.path });
    const thread = await agent.startThread(s.threadOptions());
    const { item } = await thread.runCommand('touch denied');
    expect(item).toMatchObject({ status: 'declined', exitCode: null, reason: { cause: 'rule' } });
    expect(existsSync(join(s.workspace.path, 'denied'))).toBe(false);
    await expect(thread.runCommand('  ')).rejects.toMatchObject({ code: 'invalid_input' });
    await thread.run('hi');
    expect(told(s, 0)).toEqual([]);
    expect(await commandsIn(thread)).toMatchObject([{ status: 'declined', by: 'user' }]);
    await agent.close();
  });

  test('prints much: the model gets a bounded text', async () => {
    const s = await libraryScene([reply(say('one'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    const { item } = await thread.runCommand('seq 1 100000');
    expect(item.output.length).toBeGreaterThan(500_000);
    await thread.run('hi');
    expect(told(s, 0)[0]?.length).toBeLessThan(60_000);
    expect(told(s, 0)[0]).toContain('truncated');
    await thread.close();
  });

  test('is still to be told after a compaction in between', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('a summary')), reply(say('two'))], FULL);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('hi');
    await thread.runCommand('echo kept');
    expect((await thread.compact()).status).toBe('completed');
    await thread.close();
    const again = await s.agent.resumeThread(thread.id, s.threadOptions());
    await again.run('go on');
    expect(told(s, 2)[0]).toContain('kept');
    await again.close();
  });
});
