import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { assertSingleFrame } from './assert-single-frame.ts';

let path = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'frame-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  path = join(folder, 'rollout.jsonl.zst');
});

/** Frames as zstd writes them, by what their headers have. */
const FRAMES = {
  'a window, compressed and repeated blocks, and a checksum':
    '28b52ffd04585400001000000100fbff39c00202001000750000407b2261223a317d0a0100628a111e1b6930',
  'a size of one byte, and a block as it is': '28b52ffd20031900007b7d0a',
  'a size of two bytes': '28b52ffd6490004d000010000001008b2ac00252520742',
  'a size of four bytes': '28b52ffda4a086010055000010000001009b8639c002db234ef3',
};

test.each(Object.entries(FRAMES))('a frame with %s is whole, and nothing shorter or longer is', (_, hex) => {
  const frame = Buffer.from(hex, 'hex');
  const check = (bytes: Uint8Array) => {
    writeFileSync(path, bytes);
    assertSingleFrame(path);
  };
  check(frame);
  for (let length = 0; length < frame.length; length++) {
    expect(() => check(frame.subarray(0, length)), `${length} bytes`).toThrow('it breaks off');
  }
  for (const more of [frame, Buffer.from('\n')]) {
    expect(() => check(Buffer.concat([frame, more]))).toThrow('Node reads not all of it');
  }
});

test('a file in another format is refused', () => {
  writeFileSync(path, 'not really compressed');
  expect(() => assertSingleFrame(path)).toThrow('Node reads not all of it');
});
