import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReplayReport } from '../../../../src/index.ts';
import { call, gate, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { notCompared, notReplayed } from '../../../harness/replay-rollouts.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { eventfulThread, readFileLines, replayLines } from './scene.ts';

describe('oxbow replay', () => {
  test('reports that a thread was reproduced, by its id or its path', async () => {
    const { s, id, path } = await recorded();
    const result = await runOxbow(['replay', id], s);
    expect(result).toMatchObject({ code: 0, stdout: 'reproduced: 1 turn, 2 requests, 1 call\n', stderr: '' });
    expect(await runOxbow(['replay', path], s)).toMatchObject({ code: 0, stdout: result.stdout });
    expect(s.model.requests).toHaveLength(2);
  });

  test('names the first line that differs', async () => {
    const { s, id, path } = await recorded();
    change(path, '"last_agent_message":"done"', '"last_agent_message":"undone"');
    notReplayed('the log was changed');
    const { code, stdout } = await runOxbow(['replay', id], s);
    const line = readFileLines(path).length;
    expect(code).toBe(1);
    expect(stdout).toContain(`diverged: line ${line} differs in payload.last_agent_message\n`);
    expect(stdout).toMatch(/recorded: .*"undone"/);
    expect(stdout).toMatch(/replayed: .*"done"/);
  });

  test('--json prints the report', async () => {
    const { s, id, path } = await recorded();
    const reproduced = await runOxbow(['replay', '--json', id], s);
    expect(JSON.parse(reproduced.stdout)).toEqual({
      label: path,
      path,
      turns: { replayed: 1, folded: 0 },
      requests: 2,
      calls: 1,
      reproduced: true,
      divergence: null,
      notices: [],
    });
    change(path, 'Output:\\nhi', 'Output:\\nho');
    notReplayed('the log was changed');
    const { code, stdout } = await runOxbow(['replay', '--json', id], s);
    const report = JSON.parse(stdout) as ReplayReport;
    expect(code).toBe(1);
    expect(report).toMatchObject({ reproduced: false, divergence: { path, came: { type: 'oxbow' } } });
    expect(report.divergence?.reason).toMatch(/^differs in payload\.digest: some item between line \d+ and this one /);
  });

  test('a line that is not JSON is reported, and makes the replay diverge', async () => {
    const { s, id, path } = await recorded();
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.with(3, '{"half').join('\n'));
    notReplayed('the log was changed');
    const { code, stdout } = await runOxbow(['replay', id], s);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^note: line 4 of .* is not JSON and was skipped/);
    expect(stdout).toContain('diverged: line 5 does not follow the line before it');
  });

  test('wrong arguments get one sentence', async () => {
    const { s } = await recorded();
    expect(await runOxbow(['replay'], s)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name one thread'),
    });
    expect(await runOxbow(['replay', 'a', 'b'], s)).toMatchObject({ code: 2 });
    const missing = await runOxbow(['replay', '01a1dfaa'], s);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no thread 01a1dfaa') });
    const noFile = await runOxbow(['replay', './nothing.jsonl'], s);
    expect(noFile).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read') });
    expect((await runOxbow(['replay', '--help'], s)).stdout).toContain('Example:\n  oxbow replay ');
  });
});

test('an agent replays a thread by its id', async () => {
  const { scene: s, path } = await eventfulThread();
  const [first] = readFileLines(path);
  const id = first?.type === 'session_meta' ? first.payload.id : '';
  expect(await s.agent.replay(id)).toMatchObject({ path, reproduced: true, turns: { replayed: 5, folded: 0 } });
  await expect(s.agent.replay('nobody')).rejects.toThrow('There is no thread nobody');
});

test('a log that ends anywhere, because its process died, is reproduced', async () => {
  const lines = readFileLines((await eventfulThread()).path);
  for (const end of lines.keys()) {
    const { divergence } = await replayLines(lines.slice(0, end));
    expect(divergence, `the first ${end} lines`).toBeNull();
  }
});

test('a turn that answers calls of a dead process is reproduced, even if one of them had ended', async () => {
  notCompared('the log is cut behind the back of the thread');
  let open = () => {};
  const firstEnded = new Promise<void>((resolve) => {
    open = resolve;
  });
  const run = (cmd: string) => call('exec_command', { cmd });
  const calls = reply(run('echo 1'), gate(firstEnded), run('echo 2'), run('echo 3'));
  const s = await libraryScene([calls, reply(say('one')), reply(say('two'))]);
  const before = await s.agent.startThread({ onEvent: ({ type }) => type === 'call.ended' && open() });
  await before.run('first');
  await before.close();
  const path = before.path ?? '';
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.some((line) => line.includes('"kind":"call.finished"'))).toBe(true);
  const output = lines.findIndex((line) =>
    line.includes('"type":"response_item","payload":{"type":"function_call_output"'),
  );
  writeFileSync(path, `${lines.slice(0, output).join('\n')}\n`);
  const after = await s.agent.resumeThread(before.id);
  await after.run('second');
  await after.close();
  expect(await s.agent.replay(before.id)).toMatchObject({ reproduced: true, turns: { replayed: 2, folded: 0 } });
});

test('turns from other programs are read, and the turns after them reproduced', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('three'))]);
  const before = await s.agent.startThread();
  await before.run('first');
  await before.close();
  const line = (type: string, payload: object) => `${JSON.stringify({ timestamp: '', type, payload })}\n`;
  const message = (role: string, text: string) =>
    line('response_item', {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    });
  appendFileSync(
    before.path ?? '',
    [
      line('event_msg', { type: 'task_started', turn_id: 'theirs' }),
      message('user', 'second'),
      message('assistant', 'two'),
      line('event_msg', { type: 'task_complete', turn_id: 'theirs', last_agent_message: 'two' }),
    ].join(''),
  );
  const after = await s.agent.resumeThread(before.id);
  await after.run('third');
  await after.close();
  expect(await s.agent.replay(before.id)).toMatchObject({ reproduced: true, turns: { replayed: 2, folded: 1 } });
});

test('a copy of a thread is reproduced together with the copied turns', async () => {
  const s = await libraryScene([reply(call('exec_command', { cmd: 'echo 1' })), reply(say('one')), reply(say('two'))]);
  const thread = await s.agent.startThread();
  await thread.run('first');
  await thread.close();
  const fork = await s.agent.forkThread(thread.id);
  await fork.run('second');
  await fork.close();
  expect(await s.agent.replay(fork.id)).toMatchObject({
    reproduced: true,
    turns: { replayed: 2, folded: 0 },
    calls: 1,
  });
});

async function recorded(): Promise<{ readonly s: Scene; readonly id: string; readonly path: string }> {
  const s = await scene([reply(call('exec_command', { cmd: 'echo hi' })), reply(say('done'))]);
  const { events } = await runOxbow(['exec', '--json', 'go'], s);
  const id = String(events.find(({ type }) => type === 'thread.started')?.thread_id);
  const { stdout } = await runOxbow(['replay', '--json', id], s);
  return { s, id, path: (JSON.parse(stdout) as ReplayReport).label };
}

function change(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replaceAll(from, to));
}
