import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCredentialsFile } from './credentials-file.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'credentials-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const path = () => join(home, '.credentials.json');

test('an entry is written for its owner alone, changed and removed, and others stay', async () => {
  const file = openCredentialsFile(home);
  expect(await file.read()).toEqual({});
  await file.update('a', async (entry) => ({ before: entry ?? null, token: 1 }));
  await file.update('b', async () => ({ token: 2 }));
  expect(await file.update('a', async (entry) => ({ ...entry, token: 3 }))).toEqual({ before: null, token: 3 });
  expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual({ a: { before: null, token: 3 }, b: { token: 2 } });
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  await file.update('a', async () => undefined);
  expect(await file.read()).toEqual({ b: { token: 2 } });
  await file.update('b', async () => undefined);
  expect(readdirSync(home)).toEqual(['thread-locks']);
  expect(readdirSync(join(home, 'thread-locks'))).toEqual([]);
});

test('changes of one process wait for each other', async () => {
  const file = openCredentialsFile(home);
  const count = async () =>
    await file.update('a', async (entry) => {
      await new Promise((done) => setTimeout(done, 10));
      return { count: Number(entry?.count ?? 0) + 1 };
    });
  await Promise.all([count(), count(), count()]);
  expect(await file.read()).toEqual({ a: { count: 3 } });
});

test('changes of several processes wait for each other', async () => {
  const module = JSON.stringify(fileURLToPath(new URL('./credentials-file.ts', import.meta.url)));
  const built = await build({
    stdin: {
      contents: `
        import { openCredentialsFile } from ${module};
        const file = openCredentialsFile(${JSON.stringify(home)});
        const change = async (entry) => {
          await new Promise((done) => setTimeout(done, 20));
          return { count: (entry?.count ?? 0) + 1 };
        };
        (async () => { for (let n = 0; n < 5; n++) await file.update('a', change); })();
      `,
      resolveDir: '/',
    },
    bundle: true,
    platform: 'node',
    write: false,
  });
  const run = () =>
    once(spawn(process.execPath, ['-e', built.outputFiles[0]?.text ?? ''], { stdio: 'inherit' }), 'close');
  expect(await Promise.all([run(), run(), run()])).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
  expect(await openCredentialsFile(home).read()).toEqual({ a: { count: 15 } });
});

test('a change that fails changes nothing, and the next one does not wait', async () => {
  const file = openCredentialsFile(home);
  await expect(file.update('a', () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
  expect(await file.update('a', async () => ({ token: 1 }))).toEqual({ token: 1 });
});

test('the lock of a process that died is taken over', async () => {
  const lock = `require('fs').symlinkSync(JSON.stringify({ pid: process.pid, start: '1', boot: ${JSON.stringify(
    readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  )}, space: require('fs').readlinkSync('/proc/self/ns/pid'), host: require('os').hostname(), nonce: 'x' }), '${home}/thread-locks/.credentials.json')`;
  const child = spawn(process.execPath, ['-e', `require('fs').mkdirSync('${home}/thread-locks'); ${lock}`]);
  await once(child, 'close');
  expect(readdirSync(join(home, 'thread-locks'))).toEqual(['.credentials.json']);
  expect(await openCredentialsFile(home).update('a', async () => ({ token: 1 }))).toEqual({ token: 1 });
});

test('a damaged file is named without its content', async () => {
  writeFileSync(path(), '{"secret": ');
  const file = openCredentialsFile(home);
  await expect(file.read()).rejects.toMatchObject({
    code: 'damaged',
    message: `${path()} is not valid JSON. Repair or remove it.`,
  });
  await expect(file.update('a', async () => ({}))).rejects.toMatchObject({ code: 'damaged' });
});
