import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadDetails, ThreadSummary } from '../../../../src/index.ts';
import { call, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { notReplayed } from '../../../harness/replay-rollouts.ts';
import { runOxbow, startOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { codexLines, readRollout, rolloutPaths, sent, threads, turn, writeThread } from './scene.ts';

const WRITTEN = 'rollouts that were written by hand';

async function listed(found: AsyncIterable<ThreadSummary>): Promise<ThreadSummary[]> {
  const all: ThreadSummary[] = [];
  for await (const thread of found) all.push(thread);
  return all;
}

async function show(thread: string, s: Scene): Promise<ThreadDetails> {
  return JSON.parse((await threads(['show', thread, '--json'], s)).stdout);
}

describe('exec fork', () => {
  test('begins a thread with the turns of another up to a given one, and its request with the same bytes', async () => {
    const s = await scene([
      reply(call('exec_command', { cmd: 'echo first' })),
      reply(say('first')),
      reply(say('second')),
      reply(say('third')),
      reply(say('forked')),
      reply(say('whole')),
    ]);
    const id = await turn(['one'], s);
    await turn(['resume', id, 'two'], s);
    await turn(['resume', id, 'three'], s);
    const [path = ''] = rolloutPaths(s.workspace);
    const before = readFileSync(path, 'utf8');
    const fork = await turn(['fork', id, '--at', '2', 'four'], s);
    expect(fork).not.toBe(id);
    // The end of the second turn, and the new prompt.
    const second = s.model.requests[2]?.body.input ?? [];
    const forked = s.model.requests[4]?.body.input ?? [];
    expect(JSON.stringify(forked.slice(0, second.length))).toBe(JSON.stringify(second));
    expect(sent(s, 4).slice(second.length)).toEqual(['second', 'four']);
    expect(s.model.requests[4]?.body.instructions).toBe(s.model.requests[2]?.body.instructions);
    expect(readFileSync(path, 'utf8')).toBe(before);
    const made = rolloutPaths(s.workspace).find((one) => one !== path) ?? '';
    expect(readRollout(made)[0]?.payload).toMatchObject({ id: fork, session_id: fork, forked_from_id: id });
    expect((await show(fork, s)).turns.map(({ number, input }) => [number, input])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'four'],
    ]);
    expect((await show(fork, s)).forkedFrom).toBe(id);
    // Without `--at` the fork has all turns; with an id it ends with that turn.
    const whole = await turn(['fork', '--last', 'five'], s);
    expect(sent(s, 5).slice(-3)).toEqual(['four', 'forked', 'five']);
    expect((await show(whole, s)).forkedFrom).toBe(fork);
  });

  test('copies only what came after a compaction, and the turns keep their numbers', async () => {
    const answers = ['long '.repeat(2000), 'second', 'the summary', 'third', 'forked', 'before'];
    const s = await scene(answers.map((text) => reply(say(text))));
    const id = await turn(['one'], s);
    await turn(['resume', id, 'two'], s);
    expect((await runOxbow(['threads', 'compact', id], s)).code).toBe(0);
    await turn(['resume', id, 'four'], s);
    const fork = await turn(['fork', id, 'five'], s);
    const before = s.model.requests[3]?.body.input ?? [];
    const forked = s.model.requests[4]?.body.input ?? [];
    expect(JSON.stringify(forked.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(sent(s, 4).slice(before.length)).toEqual(['third', 'five']);
    const shown = await show(fork, s);
    expect(shown.turns.map(({ number, input }) => [number, input])).toEqual([
      [3, null],
      [4, 'four'],
      [5, 'five'],
    ]);
    expect(shown.bytes).toBeLessThan((await show(id, s)).bytes);
    const refused = await runOxbow(['exec', 'fork', fork, '--at', '2', 'x'], s);
    expect(refused.stderr).toContain('has no turn 2: it has the turns 3 to 5.');
    // Before the compaction the history was different.
    await turn(['fork', id, '--at', '2', 'else'], s);
    expect(sent(s, 5).slice(-3)).toEqual(['two', 'second', 'else']);
  });

  test('lists the existing turns for an unknown one, and explains which options go together', async () => {
    const s = await scene([reply(say('first')), reply(say('second'))]);
    const id = await turn(['one'], s);
    await turn(['resume', id, 'two'], s);
    const rows: [string[], number, string][] = [
      [['fork', id, '--at', '3', 'x'], 1, `The thread ${id} has no turn 3: it has the turns 1 to 2.`],
      [['fork', id, '--at', '0', 'x'], 1, 'has no turn 0: it has the turns 1 to 2.'],
      [['fork', id, '--at', 'x1', 'x'], 1, 'has no turn x1'],
      [['fork', 'nobody', 'x'], 1, 'There is no thread nobody in'],
      [['fork'], 2, 'fork takes the id or name of a thread, or --last.'],
      [['fork', 'a', 'b', 'c'], 2, 'Too many words after fork: put the prompt in quotes.'],
      [['fork', id, '--ephemeral', 'x'], 2, '--ephemeral cannot be used with fork'],
      [['--at', '1', 'x'], 2, '--at can only be used with fork.'],
      [['resume', id, '--at', '1', 'x'], 2, '--at can only be used with fork.'],
    ];
    for (const [args, code, message] of rows) {
      const result = await runOxbow(['exec', ...args], s);
      expect(result.stderr).toContain(message);
      expect(result.code).toBe(code);
    }
    expect(s.model.requests).toHaveLength(2);
    expect(rolloutPaths(s.workspace)).toHaveLength(1);
  });

  test('continues a Codex thread by its name, and a thread that only points to another', async () => {
    notReplayed(WRITTEN);
    const s = await scene([reply(say('ours')), reply(say('again'))]);
    const turns = [
      ['one', 'first'],
      ['two', 'second'],
      ['three', 'third'],
    ] as const;
    writeThread(s.workspace, 'codex-root', codexLines('codex-root', turns));
    // It was forked after its second turn: 1 + 2 × 8 lines.
    const meta = { forked_from_id: 'codex-root', forked_from_ordinal_exclusive: 17 };
    const own = codexLines('codex-child', [['four', 'fourth']], { first: 17, meta });
    writeThread(s.workspace, 'codex-child', own, '2026-01-03T00-00-00');
    const named = { id: 'codex-child', thread_name: 'the child', updated_at: '2026-01-03T00:00:00Z' };
    writeFileSync(join(s.workspace.home, 'session_index.jsonl'), `${JSON.stringify(named)}\n`);
    const said = (n: number) => sent(s, n).filter((text) => !text.startsWith('<') && !text.startsWith('#'));

    const fork = await turn(['fork', 'the child', 'go on'], s);
    expect(said(0)).toEqual(['one', 'first', 'two', 'second', 'four', 'fourth', 'go on']);
    expect(s.model.requests[0]?.body.instructions).toBe('You are of another make.');
    expect((await show(fork, s)).turns.map(({ number, input }) => [number, input])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'four'],
      [4, 'go on'],
    ]);
    // The fork no longer needs the other threads.
    await threads(['delete', 'codex-child', '--yes'], s);
    await threads(['delete', 'codex-root', '--yes'], s);
    await turn(['fork', fork, '--at', 'codex-root-turn-2', 'instead'], s);
    expect(said(1)).toEqual(['one', 'first', 'two', 'second', 'instead']);
  });

  test('leaves out turns that were rolled back, and settles an unfinished call', async () => {
    notReplayed(WRITTEN);
    const s = await scene([reply(say('ours')), reply(say('more'))]);
    const turns = [
      ['one', 'first'],
      ['gone', 'forgotten'],
    ] as const;
    const line = (ordinal: number, type: string, payload: object) => ({ timestamp: 't', ordinal, type, payload });
    const lines = [
      ...codexLines('thread-1', turns),
      line(20, 'event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
      line(21, 'event_msg', { type: 'task_started', turn_id: 'open' }),
      line(22, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'two' }] }),
      line(23, 'response_item', { type: 'function_call', name: 'exec_command', arguments: '{}', call_id: 'c1' }),
      '{"timestamp":"t","ordinal":24,"type":"response_it',
    ];
    const path = writeThread(s.workspace, 'thread-1', lines);
    await turn(['fork', 'thread-1', 'go on'], s);
    const texts = sent(s, 0).filter((text) => !text.startsWith('<'));
    expect(texts).toEqual(['one', 'first', 'two', 'function_call', 'function_call_output', 'go on']);
    expect([...s.outputs(0).values()]).toEqual([expect.stringContaining('is not known')]);
    await turn(['fork', 'thread-1', '--at', '1', 'else'], s);
    expect(sent(s, 1).filter((text) => !text.startsWith('<'))).toEqual(['one', 'first', 'else']);
    expect(readFileSync(path, 'utf8').endsWith('"response_it\n')).toBe(true);
  });

  test('a thread that runs in another process can be forked, but neither archived nor deleted', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const s = await scene([
      reply(say('first')),
      reply({ kind: 'gate', until: released }, say('late')),
      reply(say('forked')),
    ]);
    const id = await turn(['one'], s);
    const running = await startOxbow(['exec', '--json', 'resume', id, 'two'], s);
    try {
      await s.model.waitForRequest(2);
      const shown = await show(id, s);
      expect(shown.turns.map(({ status }) => status)).toEqual(['completed', 'running']);
      for (const verb of ['archive', 'delete']) {
        const refused = await threads([verb, id, ...(verb === 'delete' ? ['--yes'] : [])], s);
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is open in the process') });
      }
      await turn(['fork', id, '--at', '1', 'three'], s);
      expect(sent(s, 2).slice(-3)).toEqual(['one', 'first', 'three']);
    } finally {
      release();
      await running.wait();
    }
    expect((await show(id, s)).turns.at(-1)).toMatchObject({ status: 'completed', answer: 'late' });
  });
});

describe('agent.threads and agent.forkThread', () => {
  test('do the same as the commands', async () => {
    const s = await libraryScene([reply(say('first')), reply(say('second')), reply(say('forked'))]);
    const thread = await s.agent.startThread();
    await thread.run('one');
    await thread.run('two');
    const fork = await s.agent.forkThread(thread.id, { at: 1 });
    expect((await fork.run('three')).finalResponse).toBe('forked');
    expect(sent(s, 2).slice(-3)).toEqual(['one', 'first', 'three']);
    await fork.close();
    await thread.close();
    await s.agent.threads.rename(fork.id, 'forked one');
    const found = await listed(s.agent.threads.list({ cwd: s.workspace.path }));
    expect(found).toMatchObject([
      { id: fork.id, name: 'forked one', preview: 'one', forkedFrom: thread.id },
      { id: thread.id, name: null },
    ]);
    expect(await listed(s.agent.threads.list({ limit: 1 }))).toHaveLength(1);
    expect(await s.agent.threads.show({ name: 'forked one' })).toMatchObject({
      turns: [{ input: 'one' }, { input: 'three' }],
    });
    expect(await s.agent.threads.archive({ name: 'forked one' })).toBe(fork.id);
    await expect(s.agent.resumeThread(fork.id)).rejects.toThrow('is archived');
    expect(await listed(s.agent.threads.list({ archived: true }))).toMatchObject([{ id: fork.id }]);
    await s.agent.threads.unarchive(fork.id);
    expect(await s.agent.threads.delete(fork.id)).toBe(fork.id);
    await expect(s.agent.threads.find(fork.id)).rejects.toThrow('There is no thread');
  });
});
