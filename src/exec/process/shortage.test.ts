import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';

/** Calls each way to start a process while there are a few descriptors, and again when there are enough. */
const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
import { runGit } from './git/git.ts';
import { createProbes } from './sandbox/probes.ts';
import { startPiped } from './start/start-piped.ts';
import { createSupervision } from './supervisor/create-supervision.ts';

const env = { PATH: '/usr/bin:/bin' };
const supervision = createSupervision('/usr/bin/perl');
const probes = createProbes('x64', false, new AbortController().signal);
const ways = {
  git: async () => (await runGit(['--version'], { cwd: '/', env, untrustedFolders: [] })).exitCode,
  piped: async () => (await startPiped({ argv: ['true'], cwd: '/', env, id: 'shortage' })).ended,
  supervisor: async () => (await supervision.get()) === undefined ? 'none' : 0,
  probe: async () => ((await probes.landlockVersion('/usr/bin/perl')) === undefined ? 1 : 0),
};
const tell = async () => {
  const told = {};
  for (const [name, way] of Object.entries(ways)) told[name] = await way().catch(({ message }) => message);
  process.stdout.write(JSON.stringify(told) + '\\n');
};
const held = [];
try { for (;;) held.push(openSync('/dev/null')); } catch {}
await tell();
for (let left = 1; left <= 4; left++) {
  closeSync(held.pop());
  await tell();
}
held.forEach((descriptor) => closeSync(descriptor));
await tell();
await supervision.close(1000);
`;

test.skipIf(process.platform !== 'linux')('a shortage of descriptors is a failure, and passes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'program.mjs');
  const contents = { contents: PROGRAM, resolveDir: join(import.meta.dirname, '..') };
  await build({ stdin: contents, bundle: true, platform: 'node', format: 'esm', outfile });
  const child = spawn('/bin/sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, outfile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const told = printed
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  expect(code).toBe(0);
  expect(told[0]).toEqual({
    git: expect.stringMatching(/^git could not be started in \/: EMFILE: too many open files/),
    piped: expect.stringMatching(/Too many open files \(os error 24\)\. .*\(ulimit -n\)/),
    supervisor: 'none',
    probe: expect.stringMatching(/^EMFILE: too many open files/),
  });
  expect(told).toHaveLength(6);
  expect(told.at(-1)).toEqual({ git: 0, piped: 0, supervisor: 0, probe: 0 });
});
