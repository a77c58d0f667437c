import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { killTree } from './kill-tree.ts';
import { plainLaunch } from './launch.ts';
import { NO_LEAKS } from './leaked-descriptors.ts';
import { createMark, type MarkedProcess, spawnMarked } from './marked-process.ts';
import { readProcessTable, wasStartedWith } from './process-table.ts';

const processes: MarkedProcess[] = [];
afterEach(() => Promise.all(processes.splice(0).map(({ tree }) => killTree(tree))));

function start(argv: readonly string[], id: string = randomUUID()): MarkedProcess {
  const settings = { cwd: '/', env: { PATH: '/usr/bin:/bin' }, mark: createMark(id), leaked: NO_LEAKS };
  const started = spawnMarked(plainLaunch(argv), { ...settings, stdout: 'pipe', stderr: 'ignore' });
  processes.push(started);
  return started;
}

const codeOf = (started: MarkedProcess) => new Promise<number>((resolve) => started.whenExited(resolve));

test('a mark is the beginning of the marks below it, and of no other', () => {
  const { entry } = createMark('a:1');
  expect(createMark('a:1:2').entry.startsWith(entry)).toBe(true);
  expect(createMark('a:12').entry.startsWith(entry)).toBe(false);
});

describe('a marked process', () => {
  test('has the mark besides its own variables, and a launcher has the mark and a fixed path alone', async () => {
    const { child } = start(['/usr/bin/env'], 'id');
    expect(child.stdout && (await text(child.stdout))).toBe('PATH=/usr/bin:/bin\nOXBOW_COMMAND_ID=id:\n');
    expect(createMark('id').launcherEnv).toEqual({ PATH: '/usr/bin:/bin', OXBOW_COMMAND_ID: 'id:' });
  });

  test('reports the exit code as shells do, also after the exit', async () => {
    const started = start(['/bin/sh', '-c', 'kill -TERM $$']);
    expect([await codeOf(started), await codeOf(started)]).toEqual([143, 143]);
    expect(started.tree().roots).toEqual([]);
  });

  test('that cannot be started says so, and has no tree', async () => {
    const started = start(['/nonexistent']);
    expect(started.tree().roots).toEqual([]);
    await expect(started.started()).rejects.toThrow('No such file or directory (os error 2)');
  });

  test.skipIf(readProcessTable() === undefined)('ends with everything that it started', async () => {
    const id = randomUUID();
    const { tree } = start(['/bin/sh', '-c', 'setsid sleep 300 & setsid sleep 300 & sleep 300'], id);
    const carriers = () =>
      (readProcessTable() ?? []).filter(({ pid, ended }) => !ended && wasStartedWith(pid, createMark(id).entry)).length;
    while (carriers() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    await killTree(tree);
    expect(carriers()).toBe(0);
  });
});
