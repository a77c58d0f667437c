import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call, fault, gate, reply, say } from '../../../../src/testing/index.ts';
import type { JsonEvent } from '../../../harness/json-lines.ts';
import { outlineOf } from '../../../harness/outline.ts';
import { runOxbow, startOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import type { RunningProgram } from '../../../harness/start-program.ts';
import { over, WIRES } from '../../../harness/wires.ts';

const FOREVER = new Promise<never>(() => {});
const EXEC = ['exec', '--json', '--input-format', 'jsonl'];

const lines = (...commands: readonly (object | string)[]) =>
  commands.map((command) => `${typeof command === 'string' ? command : JSON.stringify(command)}\n`).join('');
const input = (text: string, more = {}) => ({ type: 'input', text, ...more });
const send = (program: RunningProgram, ...commands: readonly (object | string)[]) =>
  program.stdin.write(lines(...commands));
const requests = ({ model }: Scene) => model.requests.map(outlineOf);
const isQueued =
  (...ids: readonly string[]) =>
  ({ type, queue }: JsonEvent) =>
    type === 'queue.changed' && JSON.stringify((queue as { id: string }[]).map(({ id }) => id)) === JSON.stringify(ids);

function openGate(): { until: Promise<void>; open(): void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { until, open };
}

/** Resolves with the n-th event of a type, from 1, past or future. */
function nth(program: RunningProgram, type: string, n: number): Promise<JsonEvent> {
  return program.waitForEvent((event) => program.events.filter((one) => one.type === type).indexOf(event) === n - 1);
}

describe.each(WIRES)('over %s', (wire) => {
  const config = over(wire);

  test('input starts a turn when idle and steers a running turn, and the end of input ends the program', async () => {
    const { until, open } = openGate();
    const s = await scene([reply(say('one')), reply(say('two'), gate(until)), reply(say('three'))]);
    const program = await startOxbow(EXEC, { ...s, config, keepStdinOpen: true });
    send(program, input('A', { id: 'a' }));
    await nth(program, 'turn.completed', 1);
    send(program, input('B'));
    await s.model.waitForRequest(2);
    send(program, input('C', { id: 'c' }), input('D', { id: 'd' }), { type: 'edit', id: 'c', text: 'C!' });
    send(program, { type: 'remove', id: 'd' });
    await program.waitForEvent(isQueued('c', 'd'));
    await program.waitForEvent(isQueued('c'));
    program.stdin.end();
    open();
    const { code, events } = await program.wait();
    expect(code).toBe(0);
    expect(requests(s)).toEqual([
      ['user: A'],
      ['user: A', 'assistant: one', 'user: B'],
      ['user: A', 'assistant: one', 'user: B', 'assistant: two', 'user: C!'],
    ]);
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'input.taken')).toEqual([
      { type: 'input.taken', id: 'a', text: 'A' },
      { type: 'input.taken', id: expect.any(String), text: 'B' },
      { type: 'input.taken', id: 'c', text: 'C!' },
    ]);
    expect(events.slice(0, 4)).toEqual([
      { type: 'thread.started', thread_id: expect.any(String) },
      { type: 'queue.changed', queue: [{ id: 'a', text: 'A' }] },
      { type: 'turn.started' },
      { type: 'input.taken', id: 'a', text: 'A' },
    ]);
  });
});

test('the example of the docs', async () => {
  const page = readFileSync(new URL('../../../../docs/exec.md', import.meta.url), 'utf8');
  const cmd = 'while [ ! -e seen ]; do sleep 0.05; done; exit 1';
  const calling = reply(call('exec_command', { cmd, yield_time_ms: 30_000 }));
  const s = await scene([calling, reply(say('Three of the tests failed.'))]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  let came = 0;
  for (const [, way, line = ''] of page.matchAll(/^([→←]) (.*)$/gmu)) {
    if (way === '→') {
      program.stdin.write(`${line}\n`);
      continue;
    }
    const n = came++;
    const event = await program.waitForEvent((one) => program.events.indexOf(one) === n);
    expect(JSON.stringify(event)).toContain(sameForAll(line));
    if (line.includes('"queue":[{"id":"2","text":"and count those')) s.workspace.write('seen', '');
  }
  program.stdin.end();
  expect((await program.wait()).events).toHaveLength(came);
  expect(came).toBeGreaterThan(10);
});

/** Returns the part of a line before a value that differs between runs or may be absent. */
function sameForAll(line: string): string {
  return line.replace(/("thread_id":"|"command":"|"exit_code":|"input_tokens":).*$/u, '');
}

test('inputs that arrive at once are one turn: the first starts it, and the others steer it', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'true' })), reply(say('done'))]);
  const { code, events } = await runOxbow([...EXEC, 'A'], { ...s, stdin: lines(input('B'), input('C')) });
  expect(code).toBe(0);
  expect(requests(s)).toEqual([['user: A'], ['user: A', 'call call_1', 'output call_1', 'user: B', 'user: C']]);
  expect(events.at(-1)?.type).toBe('turn.completed');
});

test('without --json the inputs and faults are shown, and each answer is printed and written to the file', async () => {
  const s = await scene([reply(say('one')), reply(say('two'))]);
  const args = ['exec', '--input-format', 'jsonl', '-o', 'answer', 'A'];
  const program = await startOxbow(args, { ...s, keepStdinOpen: true });
  await s.model.waitForRequest(1);
  send(program, 'nonsense', input('B'));
  program.stdin.end();
  const { code, stdout, stderr } = await program.wait();
  expect(code).toBe(0);
  expect(stdout.trim().split('\n').at(-1)).toBe('two');
  expect(s.workspace.read('answer')).toBe('two');
  expect(stderr).toContain('> A\n');
  expect(stderr).toContain('> B\n');
  expect(stderr).toMatch(/^error: Line 1 of the input: It is not JSON: /m);
});

test('an interrupt ends the turn, and queued input goes before the next input', async () => {
  const s = await scene([reply(say('one'), gate(FOREVER)), reply(say('two'))]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await s.model.waitForRequest(1);
  send(program, input('B', { id: 'b' }), { type: 'interrupt' });
  await nth(program, 'turn.aborted', 1);
  send(program, { type: 'interrupt' }, input('C'));
  await nth(program, 'turn.completed', 1);
  program.stdin.end();
  expect((await program.wait()).code).toBe(0);
  expect(requests(s)[1]?.filter((line) => line.startsWith('user'))).toEqual([
    ...['user: A', 'user: <turn_aborted>', 'user: B', 'user: C'],
  ]);
});

test('an input right after an interrupt starts the next turn', async () => {
  const s = await scene([reply(say('one'), gate(FOREVER)), reply(say('two'))]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await s.model.waitForRequest(1);
  send(program, { type: 'interrupt' }, input('B'));
  program.stdin.end();
  const { code, events } = await program.wait();
  expect(code).toBe(0);
  expect(events.filter(({ type }) => /^turn\./.test(type)).map(({ type }) => type)).toEqual([
    ...['turn.started', 'turn.aborted', 'turn.started', 'turn.completed'],
  ]);
});

test('when the input ends after an interrupt, queued input stays, and resume sends it', async () => {
  const s = await scene([reply(say('one'), gate(FOREVER)), reply(say('two'))]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await s.model.waitForRequest(1);
  send(program, input('B', { id: 'b' }), { type: 'interrupt' });
  program.stdin.end();
  const first = await program.wait();
  expect(first.code).toBe(1);
  expect(first.events.at(-1)).toEqual({ type: 'turn.aborted' });
  const id = String(first.events[0]?.thread_id);
  const second = await runOxbow([...EXEC, 'resume', id], { ...s, stdin: '' });
  expect(second.code).toBe(0);
  expect(second.events.slice(0, 2)).toEqual([
    { type: 'thread.started', thread_id: id },
    { type: 'queue.changed', queue: [{ id: 'b', text: 'B' }] },
  ]);
  expect(requests(s)[1]?.at(-1)).toBe('user: B');
});

test('a fork reads its input in lines too, and leaves queued input to its parent', async () => {
  const s = await scene([reply(say('one')), reply(say('two'), gate(FOREVER)), reply(say('three'))]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await nth(program, 'turn.completed', 1);
  send(program, input('B'));
  await s.model.waitForRequest(2);
  send(program, input('C'), { type: 'interrupt' });
  program.stdin.end();
  await program.wait();
  const id = String(program.events[0]?.thread_id);
  const fork = await runOxbow([...EXEC, 'fork', id, '--at', '1'], { ...s, stdin: lines(input('D')) });
  expect(fork.code).toBe(0);
  expect(fork.events[0]?.thread_id).not.toBe(id);
  expect(requests(s)[2]).toEqual(['user: A', 'assistant: one', 'user: D']);
});

test('queued input survives SIGKILL, and goes before the next input', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'sleep 30', yield_time_ms: 30_000 })), reply(say('two'))]);
  const program = await startOxbow([...EXEC, 'A'], { ...s, keepStdinOpen: true });
  await program.waitForEvent(({ type }) => type === 'item.started');
  send(program, input('B', { id: 'b' }), input('C', { id: 'c' }), { type: 'edit', id: 'c', text: 'C!' });
  await program.waitForEvent(({ type, queue }) => type === 'queue.changed' && JSON.stringify(queue).includes('C!'));
  program.kill('SIGKILL');
  await program.wait();
  const id = String(program.events[0]?.thread_id);
  const second = await runOxbow(['exec', '--json', 'resume', id, 'D'], s);
  expect(second.code).toBe(0);
  expect(requests(s)[1]).toEqual(['user: A', 'call call_1', 'output call_1', 'user: B', 'user: C!', 'user: D']);
});

test('a failed turn does not block the next input, and the exit code is that of the last turn', async () => {
  const { until, open } = openGate();
  const s = await scene(async (_, n) => {
    if (n === 2) return reply(say('two'));
    if (n === 1) await until;
    return fault.status(400, 'no');
  });
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await s.model.waitForRequest(1);
  send(program, input('B', { id: 'b' }));
  await program.waitForEvent(isQueued('b'));
  open();
  await nth(program, 'turn.completed', 1);
  expect(requests(s)[1]).toEqual(['user: A', 'user: B']);
  send(program, input('C'));
  program.stdin.end();
  const { code, events } = await program.wait();
  expect(code).toBe(1);
  expect(events.filter(({ type }) => type === 'turn.failed')).toHaveLength(2);
});

test('the limits apply to each turn', async () => {
  const s = await scene([
    reply(say('one')),
    reply(say('two')),
    reply(call('exec_command', { cmd: 'true' })),
    reply(say('never')),
  ]);
  const program = await startOxbow([...EXEC, '--max-requests', '1'], { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await nth(program, 'turn.completed', 1);
  send(program, input('B'));
  await nth(program, 'turn.completed', 2);
  send(program, input('C'));
  program.stdin.end();
  const { code, events } = await program.wait();
  expect(code).toBe(1);
  expect(s.model.requests).toHaveLength(3);
  expect(JSON.stringify(events.at(-1))).toContain('The limit of 1 requests was reached');
});

test('a wrong line is reported with its number, and the other lines are read', async () => {
  const s = await scene([reply(say('one'))]);
  const stdin = lines(
    '{"type":"input","text":',
    '[1]',
    '',
    { type: 'inptu', text: 'x' },
    { type: 'input' },
    { type: 'input', text: 7 },
    { type: 'input', text: 'x', images: 'a.png' },
    { type: 'edit', text: 'x' },
    { type: 'remove', id: 'gone' },
    input('see', { id: 'p', images: ['none.png'] }),
    `{"type":"input","text":"${'x'.repeat(9 * 1024 * 1024)}"}`,
    input('A', { id: 'a' }),
  );
  const { code, events } = await runOxbow(EXEC, { ...s, stdin: stdin.trimEnd() });
  expect(code).toBe(0);
  expect(requests(s)).toEqual([['user: A']]);
  const faults = events.filter(({ type }) => type === 'error');
  expect(faults.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(faults.map(({ message }) => String(message))).toEqual([
    expect.stringContaining('Line 1 of the input: It is not JSON: '),
    'Line 2 of the input: It is not a JSON object such as {"type":"input","text":"go on"}.',
    'Line 4 of the input: Its "type" is "inptu", not input, edit, remove, interrupt or compact.',
    'Line 5 of the input: An "input" needs "text" or "images".',
    'Line 6 of the input: The "text" of "input" is 7, not a string.',
    'Line 7 of the input: The "images" of "input" are "a.png", not a list of paths.',
    'Line 8 of the input: The "id" of "edit" is missing, not a string.',
    'Line 9 of the input: No input with the id "gone" is queued: it was sent or removed, or never existed.',
    expect.stringMatching(/^Line 10 of the input: The image .*none\.png cannot be read/),
    'Line 11 of the input: It is longer than 8388608 bytes.',
  ]);
  expect(faults.slice(-3).map(({ id }) => id)).toEqual(['gone', 'p', undefined]);
});

test('images in a line are sent with its text', async () => {
  const s = await scene([reply(say('one'))]);
  s.workspace.write('a.gif', 'GIF89a');
  const { events } = await runOxbow(EXEC, { ...s, stdin: lines(input('what?', { id: 'i', images: ['a.gif'] })) });
  expect(requests(s)).toEqual([['user: [image]what?']]);
  expect(events).toContainEqual({ type: 'input.taken', id: 'i', text: 'what?', images: 1 });
});

test('Ctrl-C ends the program, in a turn and between turns', async () => {
  const s = await scene([reply(say('one'), gate(FOREVER)), reply(say('two'))]);
  const inTurn = await startOxbow([...EXEC, 'A'], { ...s, keepStdinOpen: true });
  await s.model.waitForRequest(1);
  inTurn.kill('SIGINT');
  const first = await inTurn.wait();
  expect([first.code, first.signal, first.events.at(-1)]).toEqual([1, null, { type: 'turn.aborted' }]);
  const idle = await startOxbow([...EXEC, 'A'], { ...s, keepStdinOpen: true });
  await nth(idle, 'turn.completed', 1);
  idle.kill('SIGTERM');
  const second = await idle.wait();
  expect([second.code, second.signal]).toEqual([143, null]);
});

test('when the reader of the output is gone, the program ends although its input is open', async () => {
  const s = await scene((_, n) => (n === 1 ? reply(say('one')) : reply(say('two'))));
  const program = await startOxbow([...EXEC, 'A'], { ...s, keepStdinOpen: true });
  await nth(program, 'turn.completed', 1);
  program.stopReading();
  send(program, input('B'));
  expect((await program.wait()).code).toBe(1);
});

test('refuses empty input and bad arguments', async () => {
  const s = await scene([]);
  const none = await runOxbow(EXEC, { ...s, stdin: '\n' });
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('oxbow: No input was given. Write lines')]);
  const rows: [string[], string][] = [
    [['exec', '--input-format', 'xml', 'x'], '--input-format takes text or jsonl, not "xml".'],
    [['exec', '--input-format', 'jsonl', 'review'], '--input-format jsonl cannot be used with review.'],
    [['exec', '--input-format', 'jsonl', '-i', 'a.png'], '-i needs a PROMPT'],
  ];
  for (const [args, message] of rows) {
    const result = await runOxbow(args, { ...s, stdin: '' });
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('a thread that cannot be stored ends the program with an error', async () => {
  const s = await scene([]);
  const sessions = s.workspace.write('../home/sessions', 'a file where a folder belongs');
  const { code, stderr } = await runOxbow([...EXEC, 'A'], { ...s, keepStdinOpen: true });
  rmSync(sessions);
  expect([code, stderr]).toEqual([1, expect.stringContaining('The thread cannot be kept in')]);
});

test('compact replaces the history after the running turn, and later turns continue from there', async () => {
  const { until, open } = openGate();
  const s = await scene([
    reply(say('one'), gate(until)),
    reply(say('What happened so far.')),
    reply(say('two')),
    reply(say('three')),
  ]);
  const program = await startOxbow(EXEC, { ...s, keepStdinOpen: true });
  send(program, input('A'));
  await s.model.waitForRequest(1);
  send(program, { type: 'compact' }, { type: 'remove', id: 'none' });
  // Lines are read in order: when the second is answered, the first has been read.
  await nth(program, 'error', 1);
  open();
  await nth(program, 'turn.completed', 2);
  send(program, input('B'));
  program.stdin.end();
  expect((await program.wait()).code).toBe(0);
  expect(s.model.requests).toHaveLength(3);
  expect(requests(s)[1]?.slice(0, 2)).toEqual(['user: A', 'assistant: one']);
  const after = JSON.stringify(s.model.requests[2]?.body);
  expect(after).toContain('What happened so far.');
  expect(after).not.toContain('"one"');
  expect(requests(s)[2]?.at(-1)).toBe('user: B');
});
