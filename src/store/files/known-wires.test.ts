import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKnownWires } from './known-wires.ts';

test('the next run knows the wire, and a broken file is ignored', () => {
  const home = mkdtempSync(join(tmpdir(), 'wires-'));
  try {
    expect(openKnownWires(home).get('http://a/v1')).toBeUndefined();
    openKnownWires(home).set('http://a/v1', 'chat');
    openKnownWires(home).set('http://b/v1', 'responses');
    expect(openKnownWires(home).get('http://a/v1')).toBe('chat');
    writeFileSync(join(home, 'wires.json'), '{oops');
    expect(openKnownWires(home).get('http://a/v1')).toBeUndefined();
    openKnownWires(join(home, 'wires.json', 'no', 'folder')).set('http://a/v1', 'chat');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
