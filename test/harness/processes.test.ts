import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { processesWith } from './processes.ts';

const WAIT = 'process.stdout.write("up"); setTimeout(() => {}, 600_000)';

describe.skipIf(!existsSync('/proc/self/environ'))('processesWith', () => {
  test('finds a process by its environment until it ends', async () => {
    const marker = randomUUID();
    const child = spawn(process.execPath, ['-e', WAIT], { env: { ...process.env, MARK: marker } });
    await once(child.stdout, 'data');
    expect(processesWith(marker)).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processesWith(marker)).toEqual([]);
  });

  test('finds a process by its command line', async () => {
    const marker = randomUUID();
    const child = spawn(process.execPath, ['-e', WAIT, marker]);
    await once(child.stdout, 'data');
    expect(processesWith(marker)).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processesWith(marker)).toEqual([]);
  });
});
