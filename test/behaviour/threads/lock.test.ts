import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { call, gate, type ReplyPart, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const FLOCK = '/usr/bin/flock';

/** Returns a reply that does not end before the test releases it. */
function held() {
  return heldReply(say('at last'));
}

function heldReply(part: ReplyPart) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { reply: reply(gate(opened), part), open };
}

function rolloutOf({ workspace }: Scene): string {
  const names = readdirSync(workspace.home, { recursive: true, encoding: 'utf8' });
  return readFileSync(join(workspace.home, names.find((name) => /rollout-.*\.jsonl$/.test(name)) ?? ''), 'utf8');
}

function threadOf({ workspace }: Scene): string {
  const names = readdirSync(workspace.home, { recursive: true, encoding: 'utf8' });
  const name = names.find((one) => one.includes('rollout-') && one.endsWith('.jsonl')) ?? '';
  return name.slice(-'.jsonl'.length - 36, -'.jsonl'.length);
}

const locksOf = ({ workspace }: Scene) => readdirSync(join(workspace.home, 'thread-locks'));

/** Starts a turn and waits until its request has arrived. */
async function startTurn(s: Scene, args: readonly string[], requests: number) {
  const program = await startOxbow(['exec', ...args], s);
  const ended = program.wait();
  await vi.waitFor(() => expect(s.model.requests).toHaveLength(requests), { timeout: 30_000 });
  return { program, ended };
}

test('a second process on a thread learns which one has it, and continues when that one has ended', async () => {
  const first = held();
  const s = await scene([first.reply, reply(say('second'))]);
  const { program, ended } = await startTurn(s, ['go'], 1);
  await vi.waitFor(() => expect(locksOf(s)).toEqual([threadOf(s)]), 20_000);
  const id = threadOf(s);
  const refused = await runOxbow(['exec', 'resume', id, 'me too'], s);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `The thread ${id} is open in process ${program.pid}. Wait until that has ended, or go on in a copy of it. To copy it: oxbow exec fork ${id}`,
  );
  first.open();
  expect((await ended).code).toBe(0);
  expect(locksOf(s)).toEqual([]);
  expect((await runOxbow(['exec', 'resume', id, 'me too'], s)).code).toBe(0);
});

test('of many processes that take over from a killed one, one succeeds', async () => {
  const [killed, winner] = [held(), held()];
  const s = await scene([killed.reply, winner.reply]);
  const { program, ended } = await startTurn(s, ['go'], 1);
  await vi.waitFor(() => expect(locksOf(s)).toHaveLength(1), 20_000);
  program.kill('SIGKILL');
  await ended;
  expect(locksOf(s)).toEqual([threadOf(s)]);
  const many = await Promise.all(
    Array.from({ length: 5 }, () => startOxbow(['exec', 'resume', threadOf(s), 'go on'], s)),
  );
  const results = many.map((one) => one.wait());
  let refused = 0;
  for (const result of results) void result.then(({ code }) => (refused += code === 1 ? 1 : 0));
  await vi.waitFor(() => expect(refused).toBe(4), { timeout: 60_000 });
  winner.open();
  expect((await Promise.all(results)).map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
  expect(s.model.requests).toHaveLength(2);
  expect(locksOf(s)).toEqual([]);
});

test('a process that was paused while another took its thread starts nothing more', async () => {
  const { reply: late, open } = heldReply(call('exec_command', { cmd: 'echo A >> effects' }));
  const answers = [reply(call('exec_command', { cmd: 'echo B >> effects' })), reply(say('done'))];
  const s = await scene([late, ...answers]);
  const { program, ended } = await startTurn(s, ['go'], 1);
  await vi.waitFor(() => expect(locksOf(s)).toHaveLength(1), 20_000);
  program.kill('SIGSTOP');
  const id = threadOf(s);
  // As if the process had been invisible and silent for ten minutes.
  const lock = join(s.workspace.home, 'thread-locks', id);
  unlinkSync(lock);
  symlinkSync(JSON.stringify({ pid: 999_999_999, start: '1', boot: null, space: null, host: hostname() }), lock);
  const other = await runOxbow(['exec', 'resume', id, 'go on'], s);
  expect(other.code, other.stderr).toBe(0);
  const before = rolloutOf(s);
  // The lock is checked after a pause of five seconds: checking it with every line would cost too much.
  await delay(5100);
  open();
  program.kill('SIGCONT');
  const { code, stderr } = await ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`The thread ${id} was taken over by another process.`);
  expect(rolloutOf(s)).toBe(before);
  expect(s.workspace.read('effects')).toBe('B\n');
});

test('two objects in one process never share a thread, however they opened it', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('two'))]);
  const first = await s.agent.startThread(s.threadOptions());
  await first.run('go');
  await expect(s.agent.resumeThread(first.id)).rejects.toThrow(
    `The thread ${first.id} is open in this process already.`,
  );
  await first.close();
  const second = await s.agent.resumeThread(first.id, s.threadOptions());
  await expect(s.agent.resumeThread(first.id)).rejects.toThrow('is open in this process already');
  expect((await second.run('on')).finalResponse).toBe('two');
  await second.close();
});

test.skipIf(!existsSync('/proc/self/fd'))('idle threads keep no rollout open', async () => {
  const s = await libraryScene(() => reply(say('done')));
  const threads = await Promise.all(Array.from({ length: 20 }, () => s.agent.startThread(s.threadOptions())));
  for (const thread of threads) await thread.run('go');
  expect(openRollouts()).toEqual([]);
  await Promise.all(threads.map((thread) => thread.close()));
});

function openRollouts(): string[] {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.endsWith('.jsonl'));
}

test.skipIf(!existsSync(FLOCK))('a thread that is open in Codex is not opened here', async () => {
  const s = await scene([reply(say('one')), reply(say('two'))]);
  expect((await runOxbow(['exec', 'go'], s)).code).toBe(0);
  const id = threadOf(s);
  const folder = join(s.workspace.home, 'thread-writer-locks');
  const file = join(folder, `${id}.lock`);
  mkdirSync(folder);
  writeFileSync(file, '');
  const codex = spawn(FLOCK, ['--exclusive', '--no-fork', file, 'sh', '-c', 'echo held; exec sleep 60']);
  onTestFinished(() => void codex.kill());
  await new Promise((resolve) => codex.stdout.once('data', resolve));
  const refused = await runOxbow(['exec', 'resume', id, 'on'], s);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`The thread ${id} is open in Codex (process ${codex.pid}). Close it there first`);
  codex.kill();
  await new Promise((resolve) => codex.once('close', resolve));
  // Left by Codex when it is killed.
  expect(existsSync(file)).toBe(true);
  expect((await runOxbow(['exec', 'resume', id, 'on'], s)).code).toBe(0);
});
