import { describe, expect, test } from 'vitest';
import { readProcessTable, wasStartedWith } from '../process/process-table.ts';
import { TERMINAL_LIMIT } from './terminal-table.ts';
import { neverAborted, openScript, realWorld, runScript, testEnvironment } from './test-environment.ts';

/** Starts one sleeper in the process group of its shell, and two that left their group, session and parent. */
const RUNAWAYS = 'sleep 300 & setsid sleep 300 & (setsid setsid sleep 300 &) ;';

function markedEnvironment() {
  const id = realWorld.uuid();
  const environment = testEnvironment({ world: { ...realWorld, uuid: () => id } });
  const survivors = () =>
    (readProcessTable() ?? []).filter((row) => !row.ended && wasStartedWith(row.pid, `OXBOW_COMMAND_ID=${id}:`)).length;
  return { environment, survivors };
}

describe.skipIf(readProcessTable() === undefined)('ending processes', () => {
  test('kill ends processes that left the group too', async () => {
    const { environment, survivors } = markedEnvironment();
    const withoutMark = '(env -i sh -c "echo bare \\$\\$; exec sleep 300" &)';
    const { terminal, exits } = await openScript(environment, `${RUNAWAYS} ${withoutMark}; sleep 300`);
    let text = '';
    while (!text.includes('\n')) text += (await terminal.collect(20, neverAborted)).text;
    const bare = Number(/bare (\d+)/.exec(text)?.[1]);
    const bareRuns = () => readProcessTable()?.some((row) => row.pid === bare && !row.ended);
    while (survivors() < 4) await terminal.collect(5, neverAborted);
    expect(bareRuns()).toBe(true);
    await terminal.kill();
    expect(survivors()).toBe(0);
    expect(bareRuns()).toBe(false);
    expect(exits).toMatchObject([{ exitCode: 137 }]);
    await environment.close();
  });

  test('kill of one command leaves the others alone', async () => {
    const { environment, survivors } = markedEnvironment();
    const commands = await Promise.all(Array.from({ length: 11 }, () => openScript(environment, 'sleep 300')));
    await commands[0]?.terminal.kill();
    expect(commands.map(({ exits }) => exits.length)).toEqual([1, ...Array(10).fill(0)]);
    expect(survivors()).toBe(10);
    await environment.close();
  });

  test('close ends everything, even processes that outlived their command', async () => {
    const { environment, survivors } = markedEnvironment();
    await runScript(environment, RUNAWAYS);
    const open = await openScript(environment, 'sleep 300');
    while (survivors() < 4) await open.terminal.collect(5, neverAborted);
    await environment.close();
    expect(survivors()).toBe(0);
    expect(open.exits).toMatchObject([{ exitCode: 137 }]);
  });

  test('close ends processes that outlived their command when nothing else runs', async () => {
    const { environment, survivors } = markedEnvironment();
    await runScript(environment, RUNAWAYS);
    while (survivors() < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    await environment.close();
    expect(survivors()).toBe(0);
  });

  test('closeSync ends everything without waiting', async () => {
    const { environment, survivors } = markedEnvironment();
    const { exits } = await openScript(environment, `${RUNAWAYS} sleep 300`);
    environment.closeSync();
    while (survivors() > 0 || exits.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(exits).toMatchObject([{ exitCode: 137 }]);
  });

  test('nothing can be started after close', async () => {
    const { environment } = markedEnvironment();
    await environment.close();
    await expect(openScript(environment, 'true')).rejects.toMatchObject({ name: 'ToolFailure', kind: 'aborted' });
  });

  test('a command that waits for its start is not started when the environment closes', async () => {
    const { environment, survivors } = markedEnvironment();
    const opening = openScript(environment, 'sleep 300', { login: true });
    await Promise.all([expect(opening).rejects.toMatchObject({ kind: 'aborted' }), environment.close()]);
    expect(survivors()).toBe(0);
  });

  test('the least recently used terminal makes room for a new one beyond the limit', async () => {
    const { environment } = markedEnvironment();
    const commands = [];
    for (let n = 0; n < TERMINAL_LIMIT; n++) commands.push(await openScript(environment, 'sleep 300'));
    await commands[0]?.terminal.collect(0, neverAborted);
    await openScript(environment, 'sleep 300');
    const known = commands.map(({ terminal }) => environment.terminal(terminal.id) !== undefined);
    expect(known).toEqual([true, false, ...Array(TERMINAL_LIMIT - 2).fill(true)]);
    await environment.close();
    expect(commands.every(({ exits }) => exits.length === 1)).toBe(true);
  });
});

describe.skipIf(readProcessTable() === undefined)('processes that were started for later commands', () => {
  /** Counts the children of this process, zombies included. */
  const children = () => (readProcessTable() ?? []).filter(({ parent }) => parent === process.pid).length;

  test.each(['danger-full-access', 'workspace-write'] as const)('are gone after close: %s', async (mode) => {
    const before = children();
    const environment = testEnvironment({ policy: { mode, writableRoots: [], network: false } });
    environment.prepare(environment.policy);
    await environment.close();
    expect(children()).toBe(before);
  });

  test('are gone after close even when the thread was at rest', async () => {
    const before = children();
    const environment = testEnvironment();
    await runScript(environment, 'true');
    environment.rest();
    await environment.close();
    expect(children()).toBe(before);
  });
});
