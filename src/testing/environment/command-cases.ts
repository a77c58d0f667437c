import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { ToolFailure } from '../../base/errors.ts';
import type { ConformanceChecks } from '../conformance-case.ts';
import { collectAll, type EnvironmentScene, NEVER, refused, until } from './scene.ts';

/** Most output that an environment may keep. Ours keeps less. */
const MOST_OUTPUT = 8 * 1024 * 1024;

/** Promises about processes. */
export const commandCases: ConformanceChecks<EnvironmentScene> = {
  async 'a command prints on both streams and ends with its code'({ run }) {
    const { text, exitCode } = await run('echo out; echo err >&2; exit 3');
    deepStrictEqual(text.split('\n').sort(), ['', 'err', 'out']);
    strictEqual(exitCode, 3);
  },

  async 'it runs in its folder, with its arguments as they are'({ cwd, run }) {
    strictEqual((await run('pwd')).text.trim(), cwd);
    const argv = ['/bin/sh', '-c', 'printf "<%s>" "$@"', 'sh', 'a b', "it's", '', 'ä€', '$HOME', '-n'];
    strictEqual((await run('', { argv })).text, "<a b><it's><><ä€><$HOME><-n>");
  },

  async 'its output is reported as it arrives, and its end once with all output'({ start }) {
    const { terminal, pieces, exits } = await start('echo one; sleep 0.2; echo two; exit 4');
    strictEqual((await collectAll(terminal)).text, 'one\ntwo\n');
    await until(() => exits.length > 0, 'the end is reported');
    strictEqual(pieces.join(''), 'one\ntwo\n');
    strictEqual(exits.length, 1);
    deepStrictEqual([exits[0]?.exitCode, exits[0]?.output], [4, 'one\ntwo\n']);
    ok((exits[0]?.durationMs ?? -1) >= 0, 'it says how long it took');
  },

  async 'the output of a running command can be collected, and each piece is returned once'({
    environment,
    start,
    at,
  }) {
    const { terminal } = await start(`echo first; until [ -e ${at('go')} ]; do sleep 0.05; done; echo second`);
    let text = '';
    await until(async () => {
      const collected = await terminal.collect(100, NEVER);
      strictEqual(collected.exitCode, null);
      ok(collected.waitedMs >= 0);
      text += collected.text;
      return text.includes('first');
    }, 'the first words come');
    ok(environment.terminal(terminal.id) !== undefined, 'it is known while it runs');
    const go = await start(`touch ${at('go')}`);
    await collectAll(go.terminal);
    text += (await collectAll(terminal)).text;
    strictEqual(text, 'first\nsecond\n');
    strictEqual(environment.terminal(terminal.id), undefined);
  },

  async 'waiting ends when its signal aborts'({ start }) {
    const { terminal } = await start('sleep 30');
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 50);
    const began = Date.now();
    await terminal.collect(20_000, stop.signal).catch(() => {});
    ok(Date.now() - began < 10_000, 'it did not wait for the command');
    await terminal.kill();
  },

  async 'killing it ends everything that it started'({ start, run, at }) {
    const beat = `while :; do echo x >> ${at('beats')}; sleep 0.05; done`;
    const { terminal } = await start(`(${beat}) & (${beat}) & wait`);
    await until(async () => (await run(`test -e ${at('beats')}`)).exitCode === 0, 'it runs');
    await terminal.kill();
    const { exitCode } = await collectAll(terminal);
    ok(exitCode !== 0 && exitCode !== null, `it did not end well: ${exitCode}`);
    const count = () => run(`wc -l < ${at('beats')}`);
    const before = (await count()).text;
    await new Promise((resolve) => setTimeout(resolve, 300));
    strictEqual((await count()).text, before);
  },

  async 'a missing program fails'({ run }) {
    const argv = ['/nonexistent/program'];
    try {
      const { exitCode } = await run('', { argv });
      ok(exitCode !== 0, 'it does not end well');
    } catch (error) {
      ok(error instanceof ToolFailure, `expected a ToolFailure, got ${String(error)}`);
    }
  },

  async 'commands run at the same time'({ start, at }) {
    const waits = (own: string, other: string) => `touch ${at(own)}; until [ -e ${at(other)} ]; do sleep 0.02; done`;
    const both = await Promise.all([start(waits('a', 'b')), start(waits('b', 'a'))]);
    const ends = await Promise.all(both.map(({ terminal }) => collectAll(terminal)));
    deepStrictEqual(
      ends.map(({ exitCode }) => exitCode),
      [0, 0],
    );
    ok(both[0]?.terminal.id !== both[1]?.terminal.id, 'each has an id of its own');
  },

  async 'a long output is bounded, its beginning and its end kept'({ start }) {
    const { terminal, exits } = await start('echo first; head -c 20000000 /dev/zero | tr "\\0" x; echo last');
    const { text, exitCode } = await collectAll(terminal);
    strictEqual(exitCode, 0);
    ok(text.length < MOST_OUTPUT && text.startsWith('first') && text.endsWith('last\n'), 'collected output');
    await until(() => exits.length > 0, 'the end is reported');
    ok((exits[0]?.output.length ?? 0) < MOST_OUTPUT, 'reported output');
  },

  async 'typing works on a terminal and is refused elsewhere'({ hasTerminals, start }) {
    const plain = await start('sleep 30');
    await refused(plain.terminal.write('x\n'), 'typing without a terminal');
    plain.terminal.resize({ columns: 100, rows: 30 });
    await plain.terminal.kill();
    if (!hasTerminals) return;
    const { terminal } = await start('read line; echo "<$line>"', { tty: true });
    await terminal.write('hello\n');
    ok((await collectAll(terminal)).text.includes('<hello>'));
  },

  async 'prepare and rest have no effect on commands, however often they are called'({ environment, run }) {
    const policy = { mode: 'danger-full-access', writableRoots: [], network: true } as const;
    for (let i = 0; i < 3; i++) environment.prepare(policy);
    environment.rest();
    environment.rest();
    strictEqual((await run('echo ok')).text, 'ok\n');
  },

  async 'closing it ends every command, and nothing can be started after that'({ environment, start, run }) {
    const { terminal } = await start('sleep 30');
    const ended = collectAll(terminal);
    await environment.close();
    ok((await ended).exitCode !== 0);
    await refused(run('true'), 'a command after the end');
    await environment.close();
  },
};
