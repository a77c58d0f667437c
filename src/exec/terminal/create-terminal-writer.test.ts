import { closeSync, constants, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readAll } from '../../../test/harness/read-all.ts';
import { loadPtyBinding } from '../../node-internals/load-pty-binding.ts';
import { createTerminalWriter } from './create-terminal-writer.ts';

async function openTerminal() {
  const { master, slave, pty } = (await loadPtyBinding()).open(80, 24);
  const inner = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
  closeSync(slave);
  return { master, inner };
}

test('texts that are larger than a terminal holds arrive whole and in order, and block nothing meanwhile', async () => {
  const { master, inner } = await openTerminal();
  const writer = createTerminalWriter(inner);
  const done: string[] = [];
  const long = 'aé日😀'.repeat(50_000);
  writer.write(long, () => done.push('long'));
  writer.write('end', () => done.push('end'));
  // There is no reader, so the system cannot take the first text. Timers go on.
  await delay(50);
  expect(done).toEqual([]);
  const parts: Buffer[] = [];
  while (done.length < 2) {
    parts.push(readAll(master));
    await delay(1);
  }
  parts.push(readAll(master));
  expect(done).toEqual(['long', 'end']);
  expect(Buffer.concat(parts).toString()).toBe(`${long}end`);
  writer.close();
  closeSync(inner);
  closeSync(master);
});

test('a terminal that is gone takes nothing, and every write ends', async () => {
  const { master, inner } = await openTerminal();
  const writer = createTerminalWriter(inner);
  closeSync(master);
  for (const text of ['one', 'two']) await new Promise<void>((resolve) => writer.write(text, resolve));
  expect(writer.isGone).toBe(true);
  writer.close();
  closeSync(inner);
});
