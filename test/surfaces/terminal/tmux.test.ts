import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { call, gate, pause, reply, say } from '../../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is not installed: the terminal is tested in one emulator only.');

const COMMANDS = ['true', 'seq 1 30', 'echo done'];
const MARKERS = 60;
const WORDS = 600;
const PAUSES = [5, 20, 60, 120, 300, 400];

test.skipIf(!hasTmux)('in tmux, resizes while an answer streams lose no committed line', async () => {
  const gates = Array.from({ length: 6 }, () => held());
  const parts = gates.flatMap(({ promise }, n) => [say(`${paragraphs(n)}\n\n`), gate(promise)]);
  const s = await scene([
    ...COMMANDS.map((cmd) => reply(call('exec_command', { cmd }))),
    reply(...parts, say('The end.')),
  ]);
  const tmux = startInTmux(s, ['write', 'a', 'lot']);
  const sizes = ['60x24', '120x30', '40x15', '200x50', '80x24', '100x20'];
  for (const [n, { resolve }] of gates.entries()) {
    await tmux.shows(`Marker-${n * 10 + 9} `);
    const [columns = '', rows = ''] = (sizes[n] ?? '').split('x');
    tmux.run('resize-window', '-t', 'main', '-x', columns, '-y', rows);
    // tmux wraps rows at once and tells the program later. Frames of the time between are not its fault.
    await expect.poll(tmux.size).toBe(`${rows} ${columns}`);
    resolve();
  }
  await tmux.shows('The end.');
  const seen = [...tmux.text().matchAll(/Marker-(\d+) /g)].map(([, number]) => Number(number));
  expect([...new Set(seen)]).toEqual(Array.from({ length: MARKERS }, (_, n) => n));
  expect(tmux.text().match(/may be\./g)?.length).toBeGreaterThanOrEqual(MARKERS);
  expect(tmux.text()).toContain('24 lines, Ctrl-O');

  tmux.run('send-keys', '-t', 'main', '-l', 'typed in tmux');
  await tmux.shows('› typed in tmux');
  tmux.run('send-keys', '-t', 'main', 'C-u');
  tmux.run('send-keys', '-t', 'main', 'C-d');
  await tmux.shows('To go on: oxbow resume');
  await tmux.shows('left with 0');
  // Nothing above was touched.
  expect(tmux.text()).toContain('› write a lot');
});

test.skipIf(!hasTmux)('in tmux, rows at the top of an empty screen are not put into the scrollback twice', async () => {
  const s = await scene([reply(say('It is **bold**.'))]);
  const tmux = startInTmux(s, []);
  await tmux.shows('main');
  tmux.run('send-keys', '-t', 'main', '-l', 'hello there');
  await tmux.shows('› hello there');
  tmux.run('send-keys', '-t', 'main', 'Enter');
  await tmux.shows('It is bold.');
  await expect.poll(tmux.text).not.toContain('working');
  expect(tmux.text().match(/hello there/g)).toHaveLength(1);
  expect(tmux.text().match(/scripted ·/g)).toHaveLength(1);
});

/** tmux wraps rows at once and tells the program later, so frames of the time between are for a size that is gone. */
test.skipIf(!hasTmux)('in tmux, frames for a size that is gone lose no word of an answer', async () => {
  const word = (n: number) => `w${n}w${n % 60 === 59 ? '\n\n' : n % 7 === 6 ? ' and ' : ' '}`;
  const parts = Array.from({ length: WORDS }, (_, n) => [say(word(n)), pause(5)]).flat();
  const s = await scene([reply(...parts, say('\n\nThe end.'))]);
  const tmux = startInTmux(s, ['write', 'a', 'lot']);
  await tmux.shows('w0w');
  while (!tmux.text().includes('The end.')) {
    const [columns, rows] = [random(24, 130), random(8, 45)];
    tmux.run('resize-window', '-t', 'main', '-x', `${columns}`, '-y', `${rows}`);
    // Of sizes that follow each other at once, tmux tells the second one late.
    await delay(PAUSES[random(0, PAUSES.length - 1)]);
  }
  const seen = new Set([...tmux.text().matchAll(/w(\d+)w/g)].map(([, number]) => Number(number)));
  expect(Array.from({ length: WORDS }, (_, n) => n).filter((n) => !seen.has(n))).toEqual([]);
  expect(tmux.text()).toContain('› write a lot');
});

const random = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1));

function paragraphs(n: number): string {
  const one = (line: number) =>
    `Marker-${n * 10 + line} stands in a paragraph that is as long as a row of text may be.`;
  return Array.from({ length: 10 }, (_, line) => one(line)).join('\n\n');
}

/** Starts the program from a shell in a server of tmux for this test alone. */
function startInTmux({ workspace, model }: Scene, args: readonly string[]) {
  workspace.configure(scriptedConfig(model.url));
  const env = { ...cleanEnvironment(workspace), TMUX_TMPDIR: workspace.home, TERM: 'xterm-256color' };
  const run = (...words: readonly string[]) =>
    execFileSync('tmux', ['-L', 'test', '-f', '/dev/null', ...words], { env, cwd: workspace.path, encoding: 'utf8' });
  const shell = ['/bin/sh', '-c', '"$@"; echo "left with $?"; read line', 'sh', PROGRAM, ...args];
  run('new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', ...shell);
  onTestFinished(() => void run('kill-server'));
  const text = () => run('capture-pane', '-t', 'main', '-pJ', '-S', '-');
  const tty = run('display-message', '-t', 'main', '-p', '#{pane_tty}').trim();
  const size = () => execFileSync('stty', ['size', '-F', tty], { encoding: 'utf8' }).trim();
  const shows = (wanted: string) => expect.poll(text, { timeout: 20_000 }).toContain(wanted);
  return { run, text, size, shows };
}

function held() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
