import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { processesWith } from './processes.ts';
import { type ProgramOptions, startProgram } from './start-program.ts';

/** Starts Node with this code. */
function start(code: string, options: Partial<ProgramOptions> = {}) {
  return startProgram({ command: process.execPath, args: ['-e', code], cwd: tmpdir(), env: {}, ...options });
}

const EVENTS = `
  const print = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
  print({ type: 'thread.started', thread_id: 't' });
  print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'a\\nb' } });
`;

test('returns the exit code and all output', async () => {
  const program = await start('process.stdout.write("out ü"); process.stderr.write("err"); process.exitCode = 3');
  const result = await program.wait();
  expect(result).toMatchObject({ code: 3, signal: null, stdout: 'out ü', stderr: 'err', events: [] });
  expect(result.durationMs).toBeGreaterThan(0);
});

test('the environment holds only the given variables', async () => {
  const program = await start('process.stdout.write(JSON.stringify(process.env))', { env: { ONLY: 'this' } });
  const { stdout, marker } = await program.wait();
  expect(JSON.parse(stdout)).toEqual({ ONLY: 'this', OXBOW_TEST_MARKER: marker });
});

test('standard input is a given text, empty, or left open', async () => {
  const echo = 'process.stdin.pipe(process.stdout)';
  expect((await (await start(echo, { stdin: 'typed' })).wait()).stdout).toBe('typed');
  expect((await (await start(echo)).wait()).stdout).toBe('');

  const open = await start(echo, { keepStdinOpen: true, stdin: 'first ' });
  open.stdin.write('second');
  open.stdin.end();
  expect((await open.wait()).stdout).toBe('first second');
});

test('events are parsed as they arrive', async () => {
  const program = await start(`${EVENTS} process.stdin.resume()`, { json: true, keepStdinOpen: true });
  const seen: string[] = [];
  const message = await program.waitForEvent((event) => event.item?.type === 'agent_message');
  program.onEvent((event) => seen.push(event.type));

  expect(message.item?.text).toBe('a\nb');
  expect(seen).toEqual(['thread.started', 'item.completed']);
  expect(await program.waitForEvent((event) => event.type === 'thread.started')).toMatchObject({ thread_id: 't' });
  program.stdin.end();
  expect((await program.wait()).events.map(({ type }) => type)).toEqual(seen);
});

test('waiting for an event that never comes fails with the output so far', async () => {
  const program = await start(`${EVENTS} process.stderr.write('some reason')`, { json: true });
  const waiting = program.waitForEvent((event) => event.type === 'turn.completed');
  await expect(waiting).rejects.toThrow(/ended without it.*thread\.started.*some reason/s);
  await expect(program.waitForEvent(() => false)).rejects.toThrow('ended without it');
});

test('a line that is not an event fails the run', async () => {
  const program = await start(`${EVENTS} process.stdout.write('oops')`, { json: true });
  await expect(program.wait()).rejects.toThrow('printed a line that is not a JSON object: oops');
});

test('half a line from a killed program is not an error', async () => {
  const program = await start(`${EVENTS} process.stdout.write('{"ty'); setInterval(() => {}, 1000)`, { json: true });
  await program.waitForEvent((event) => event.type === 'item.completed');
  program.kill('SIGKILL');
  expect(await program.wait()).toMatchObject({ code: null, signal: 'SIGKILL' });
});

test('a signal reaches the program', async () => {
  const program = await start(`process.on('SIGINT', () => process.exit(7)); setInterval(() => {}, 1000); ${EVENTS}`, {
    json: true,
  });
  await program.waitForEvent((event) => event.type === 'item.completed');
  program.kill('SIGINT');
  expect(await program.wait()).toMatchObject({ code: 7, signal: null });
});

test('a program that does not end is killed with all its processes', async () => {
  const waits = `'setInterval(() => {}, 1000)'`;
  const child = `require('child_process').spawn(process.execPath, ['-e', ${waits}], { detached: true })`;
  const program = await start(`${child}; ${EVENTS}; setInterval(() => {}, 1000)`, { json: true, timeoutMs: 5000 });
  await expect(program.wait()).rejects.toThrow(/was still running after 5000 ms and was killed.*thread\.started/s);
  await expect.poll(() => processesWith(program.marker), { timeout: 20_000 }).toEqual([]);
});

test('a program that does not exist is an error', async () => {
  await expect(start('', { command: '/nowhere/oxbow' })).rejects.toThrow('/nowhere/oxbow could not be started.');
});
