import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { processesWith } from '../../../test/harness/processes.ts';
import { readAll } from '../../../test/harness/read-all.ts';
import { loadPtyBinding } from '../../node-internals/load-pty-binding.ts';

const UNDO = '\u001b[?2004l%\\undone';

/** Starts a program on a terminal of its own that watches its terminal, takes keys one by one and says so. */
async function startProgram({ before: first = '', after: then = '', start = '', options = '' } = {}) {
  const { master, slave, pty } = (await loadPtyBinding()).open(80, 24);
  const kept = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
  closeSync(slave);
  const settings = () => spawnSync('stty', ['-g'], { stdio: [kept, 'pipe', 'inherit'], encoding: 'utf8' }).stdout;
  const before = settings();
  const marker = `OXBOW_WATCH_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const code = `import { watchTerminal } from './src/exec/terminal/watch-terminal.ts';
    import { readTerminalSettings } from './src/node-internals/read-terminal-settings.ts';
    ${start}
    const watch = watchTerminal({ terminal: 1, undo: ${JSON.stringify(UNDO)}, ${options} });
    watch.ready.then((isReady) => {
      ${first}
      process.stdin.setRawMode(true);
      process.stdin.on('data', () => {});
      process.stdout.write('watched ' + isReady);
      ${then}
    });`;
  const [bundle] = buildSync({
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs' },
  }).outputFiles;
  // The first terminal that the leader of a session opens becomes its controlling terminal.
  const script = `exec <>${pty} >&0 2>&0; exec "$0" -e "$1"`;
  const child = spawn('/bin/bash', ['-c', script, process.execPath, bundle?.text ?? ''], {
    env: { ...process.env, [marker]: '1' },
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
    for (const descriptor of [kept, master]) closeSync(descriptor);
  });
  let text = '';
  const printed = async (wanted: string) => {
    for (;;) {
      text += readAll(master).toString();
      if (text.includes(wanted)) return;
      await delay(5);
    }
  };
  const ended = async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    while (processesWith(marker).length > 0) await delay(5);
    text += readAll(master).toString();
    return text;
  };
  return { child, printed, settings, before, ended, type: (keys: string) => writeSync(master, keys) };
}

test('a program that is killed leaves a terminal without its modes, with the settings of before, and no process', async () => {
  const { child, printed, settings, before, ended } = await startProgram();
  await printed('watched true');
  expect(settings()).not.toBe(before);
  child.kill('SIGKILL');
  await printed(UNDO);
  expect(await ended()).toContain(UNDO);
  expect(settings()).toBe(before);
});

test('settings that were read at once are restored, though the watch began after the terminal was changed', async () => {
  const start = 'const settings = readTerminalSettings(0); process.stdin.setRawMode(true);';
  const { child, printed, settings, before, ended } = await startProgram({ start, options: 'settings' });
  await printed('watched true');
  expect(settings()).not.toBe(before);
  child.kill('SIGKILL');
  await printed(UNDO);
  await ended();
  expect(settings()).toBe(before);
});

test('the watch does nothing when it is told to stop', async () => {
  const { printed, ended } = await startProgram({ after: 'watch.stop(); process.exit(0);' });
  await printed('watched true');
  expect(await ended()).not.toContain('undone');
});

test.each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
  'the watch outlives %s to the whole group of the program',
  async (signal) => {
    const { child, printed, settings, before, ended } = await startProgram({
      before: `for (const name of ['SIGHUP', 'SIGTERM', 'SIGINT']) process.on(name, () => process.stdout.write('survived'));`,
    });
    await printed('watched true');
    process.kill(-(child.pid ?? 0), signal);
    await printed('survived');
    expect(settings()).not.toBe(before);
    child.kill('SIGKILL');
    await printed(UNDO);
    await ended();
    expect(settings()).toBe(before);
  },
);
