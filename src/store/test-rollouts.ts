import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ThreadStore } from '../base/thread-store.ts';
import { createRolloutCatalogue } from './catalogue/rollout-catalogue.ts';
import { createRolloutStore } from './rollout-store.ts';

/** Returns a home that is removed after the test. */
export function testHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rollouts-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Opens the store of a home. */
export function testStore(home: string, now: () => number = Date.now): ThreadStore {
  const catalogue = async () => createRolloutCatalogue;
  return createRolloutStore({ home, timezone: 'UTC', now, gate: (line) => line, catalogue });
}

/** Writes a rollout and returns its path. `time` is the time in its name. */
export function writeThread(home: string, id: string, text: string, time = '2026-01-02T03-04-05'): string {
  const day = time.slice(0, 10).split('-');
  const path = join(home, 'sessions', ...day, `rollout-${time}-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
