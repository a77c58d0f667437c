import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { PipedProcess } from '../../base/environment.ts';
import { PATH } from '../environment/test-environment.ts';
import { readProcessTable, wasStartedWith } from '../process/process-table.ts';
import { startPiped } from './start-piped.ts';

const started: PipedProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((one) => one.kill())));

const isLinux = process.platform === 'linux';
const SETTINGS = [
  ['with perl', {}],
  ['without perl', { perl: '/nonexistent' }],
] as const;

async function start(
  script: string,
  more: { readonly perl?: string; readonly id?: string } = {},
): Promise<PipedProcess> {
  // Not bash: it reads its profile where its input is a socket, and Node's pipes are sockets.
  const argv = ['/bin/sh', '-c', script];
  const piped = await startPiped({ argv, cwd: '/', env: { PATH, WORD: 'word' }, id: randomUUID(), ...more });
  started.push(piped);
  return piped;
}

/** Returns the processes that carry the id. */
const carriers = (id: string) =>
  (readProcessTable() ?? []).filter(({ pid, ended }) => !ended && wasStartedWith(pid, `OXBOW_COMMAND_ID=${id}`));

describe.each(SETTINGS)('%s', (_, settings) => {
  test('input, output and errors are streams of their own, and the exit code comes last', async () => {
    const piped = await start(
      'while read -r line; do echo "<$line> $WORD"; echo "[$line]" >&2; done; exit 3',
      settings,
    );
    const [output, errors] = [text(piped.output), text(piped.errors)];
    await piped.write('one\n');
    await piped.write(new TextEncoder().encode('två\n'));
    piped.endInput();
    expect([await output, await errors]).toEqual(['<one> word\n<två> word\n', '[one]\n[två]\n']);
    expect(await piped.ended).toBe(3);
  });

  test('a process whose output is not read waits, in bounded memory', async () => {
    const piped = await start('head -c 50000000 /dev/zero; echo done >&2', settings);
    void text(piped.errors);
    const before = process.memoryUsage().arrayBuffers;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000);
    let size = 0;
    for await (const bytes of piped.output) size += bytes.byteLength;
    expect(size).toBe(50_000_000);
    expect(await piped.ended).toBe(0);
  });

  test('writing to a process that has ended is refused', async () => {
    const piped = await start('exit 0', settings);
    for (const stream of [piped.output, piped.errors]) void text(stream);
    await piped.ended;
    await expect(piped.write('x')).rejects.toMatchObject({ name: 'ToolFailure' });
  });

  test.skipIf(!isLinux)('kill ends everything that it started, even processes that left its group', async () => {
    const id = randomUUID();
    const piped = await start(
      "trap '' TERM; sleep 100 & (setsid sleep 100 &) ; (setsid setsid sleep 100 &) ; echo ready; wait",
      { ...settings, id },
    );
    void text(piped.errors);
    for await (const bytes of piped.output) if (Buffer.from(bytes).includes('ready')) break;
    await vi.waitFor(() => expect(carriers(id).length).toBeGreaterThan(3), 20_000);
    await piped.kill();
    await vi.waitFor(() => expect(carriers(id)).toEqual([]), 20_000);
    await expect(piped.ended).resolves.toBeGreaterThan(0);
  });
});

test('a missing program is reported', async () => {
  const missing = { argv: ['/nonexistent/program'], cwd: '/', env: {}, id: 'x' };
  await expect(startPiped({ ...missing, perl: '/nonexistent' })).rejects.toMatchObject({ name: 'ToolFailure' });
  if (!existsSync('/usr/bin/perl')) return;
  const piped = await startPiped(missing);
  void text(piped.output);
  expect(await text(piped.errors)).toContain('/nonexistent/program: No such file');
  expect(await piped.ended).toBe(127);
});

test.skipIf(!isLinux || !existsSync('/usr/bin/perl'))('everything ends when our process is killed', async () => {
  const id = randomUUID();
  const source = `
    import { startPiped } from ${JSON.stringify(fileURLToPath(new URL('./start-piped.ts', import.meta.url)))};
    const argv = ['/bin/bash', '-c', 'sleep 100 & (setsid sleep 100 &); sleep 100'];
    startPiped({ argv, cwd: '/', env: { PATH: process.env.PATH }, id: ${JSON.stringify(id)} }).then(() => console.log('ready'));
    setInterval(() => {}, 1000);
  `;
  const built = await build({
    stdin: { contents: source, resolveDir: '/' },
    bundle: true,
    platform: 'node',
    write: false,
  });
  const child = spawn(process.execPath, ['-e', built.outputFiles[0]?.text ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const bytes of child.stdout) if (String(bytes).includes('ready')) break;
  await vi.waitFor(() => expect(carriers(id).length).toBeGreaterThan(2), 20_000);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(carriers(id)).toEqual([]), { timeout: 10_000 });
});

test('many processes share one listener for the end of this process', async () => {
  const before = process.listenerCount('exit');
  const many = await Promise.all(Array.from({ length: 12 }, () => start('read -r line')));
  expect(process.listenerCount('exit')).toBe(before + 1);
  await Promise.all(many.map((one) => one.kill()));
  await vi.waitFor(() => expect(process.listenerCount('exit')).toBe(before), 20_000);
});
