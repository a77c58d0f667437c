import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainLaunch } from '../process/launch.ts';
import { NO_LEAKS } from '../process/leaked-descriptors.ts';
import { createMark } from '../process/marked-process.ts';
import { startProcess } from '../start/start-process.ts';
import { captureLoginEnvironment, loginShellArgv, parsePrinted } from './login-environment.ts';
import { neverAborted, realWorld } from './test-environment.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function capture(profile: string, options: { timeoutMs?: number; signal?: AbortSignal; shell?: string } = {}) {
  writeFileSync(join(home, '.bash_profile'), profile);
  const separator = `variables-${realWorld.uuid()}`;
  const mark = createMark(realWorld.uuid());
  const launch = plainLaunch(loginShellArgv(options.shell ?? '/bin/bash', separator));
  const env = { HOME: home, PATH: '/usr/bin:/bin' };
  return captureLoginEnvironment({
    start: (events) =>
      startProcess({ launch, env, mark, cwd: '/', channel: undefined, leaksFor: () => NO_LEAKS }, events),
    mark: mark.entry,
    separator,
    timeoutMs: options.timeoutMs ?? 20_000,
    signal: options.signal ?? neverAborted,
  });
}

describe('the variables of a login shell', () => {
  test('are read from any output of the profile', async () => {
    const variables = await capture(String.raw`echo A=noise; printf 'B=1\0C=2\0'; export X='one
two=2 €'`);
    expect(variables).toMatchObject({ X: 'one\ntwo=2 €', HOME: home });
    expect(Object.keys(variables ?? {})).not.toEqual(expect.arrayContaining(['A']));
    for (const name of ['_', 'SHLVL', 'PWD', 'OLDPWD', 'B', 'C']) expect(variables).not.toHaveProperty(name);
  });

  test('are read although a process of the profile holds the output', async () => {
    expect(await capture('sleep 8 & export X=1')).toMatchObject({ X: '1' });
  });

  test('are undefined when the profile ends the shell', async () => {
    expect(await capture('exit 3')).toBeUndefined();
  });

  test('are undefined when the shell cannot be started', async () => {
    expect(await capture('', { shell: '/nonexistent' })).toBeUndefined();
  });

  test('are undefined when the profile hangs, and the shell is ended', async () => {
    const started = Date.now();
    expect(await capture('sleep 300', { timeoutMs: 100 })).toBeUndefined();
    expect(Date.now() - started).toBeLessThan(20_000);
  });

  test.each(['time', 'abort'])('are undefined when the %s ends a profile, which removes its lock', async (by) => {
    const lock = join(home, 'lock');
    const controller = new AbortController();
    const profile = `mkdir ${lock}; trap 'rmdir ${lock}' EXIT; touch ${home}/begun; sleep 300`;
    const timeoutMs = by === 'time' ? 1500 : 20_000;
    const captured = capture(profile, { timeoutMs, signal: controller.signal });
    await expect.poll(() => existsSync(join(home, 'begun')), { timeout: 10_000 }).toBe(true);
    if (by === 'abort') controller.abort();
    expect(await captured).toBeUndefined();
    expect(existsSync(lock)).toBe(false);
  });

  test('are undefined when a profile ignores its end, and nothing is left of it', async () => {
    const profile = `trap '' TERM; echo $$ > ${home}/pid; sleep 300 & sleep 300`;
    expect(await capture(profile, { timeoutMs: 1500 })).toBeUndefined();
    const pid = readFileSync(join(home, 'pid'), 'utf8').trim();
    // Its parent may still have to take note of its end.
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 10_000 }).toBe(false);
  });

  test('are undefined after an abort', async () => {
    const controller = new AbortController();
    const captured = capture('sleep 300', { signal: controller.signal });
    controller.abort();
    expect(await captured).toBeUndefined();
  });
});

test('printed variables are complete only with the second separator', () => {
  const printed = 'noise\0sep\0A=1\0B=x=y\nz\0sep\0';
  expect(parsePrinted(printed, 'sep')).toEqual({ A: '1', B: 'x=y\nz' });
  for (let end = 0; end < printed.length - 1; end++) expect(parsePrinted(printed.slice(0, end), 'sep')).toBeUndefined();
});
