import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test.skipIf(process.platform !== 'linux')(
  'descriptors that a parent left open are closed, except its channel',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
    const code = join(folder, 'close.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'close-inherited-descriptors.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: code,
    });
    const script = `
    import { spawnSync } from 'node:child_process';
    import { closeInheritedDescriptors } from '${code}';
    const listed = () => spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }).stdout.trim().split('\\n').map(Number);
    const before = listed();
    closeInheritedDescriptors(17);
    console.log(JSON.stringify({ before, after: listed() }));`;
    const leaked = openSync('/', 'r');
    // Node sets close-on-exec for the lowest inherited descriptors only, so the two here reach its children.
    const stdio = [
      'ignore',
      'pipe',
      'inherit',
      ...Array(14).fill('ignore'),
      leaked,
      'ignore',
      'ignore',
      leaked,
    ] as const;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
    closeSync(leaked);
    let printed = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      printed += bytes;
    });
    await new Promise((resolve) => child.on('close', resolve));
    rmSync(folder, { recursive: true });
    const { before, after } = JSON.parse(printed) as { before: number[]; after: number[] };
    expect(before).toContain(20);
    expect(after).not.toContain(20);
    expect(before).toContain(17);
    expect(after).toContain(17);
  },
);
