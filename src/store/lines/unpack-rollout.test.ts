import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { unpackRollout } from './unpack-rollout.ts';

function compressed(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'unpack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'rollout.jsonl.zst');
  // Not every Node has zstd. Another compression serves as well here.
  writeFileSync(path, gzipSync(text));
  return path;
}

test('an unpacked file replaces the compressed one', async () => {
  const path = compressed('{}\n'.repeat(100_000));
  const plain = path.slice(0, -'.zst'.length);
  expect(await unpackRollout(path, () => () => createGunzip())).toBe(plain);
  expect(readFileSync(plain, 'utf8')).toHaveLength(300_000);
  expect(statSync(plain).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, '..'))).toEqual(['rollout.jsonl']);
  expect(await unpackRollout(plain)).toBe(plain);
});

test('a file that another process unpacked is not overwritten', async () => {
  const path = compressed('{}\n');
  const plain = path.slice(0, -'.zst'.length);
  writeFileSync(plain, '{}\n{"already":"gone on"}\n');
  expect(await unpackRollout(path, () => () => createGunzip())).toBe(plain);
  expect(readFileSync(plain, 'utf8')).toContain('gone on');
});

test('a file that cannot be unpacked stays as it is', async () => {
  const path = compressed('{}\n');
  await expect(unpackRollout(path, () => undefined)).rejects.toThrow(`is compressed, which this Node`);
  writeFileSync(path, 'damaged');
  await expect(unpackRollout(path, () => () => createGunzip())).rejects.toThrow(`${path} cannot be unpacked: `);
  expect(existsSync(path)).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(['rollout.jsonl.zst']);
});
