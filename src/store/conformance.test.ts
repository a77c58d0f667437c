import { lstatSync, mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { ownMark } from '../machine/process-mark.ts';
import { type StoreUnderTest, storeConformance } from '../testing/store/conformance.ts';
import { createMemoryStore } from './memory-store.ts';
import { testStore } from './test-rollouts.ts';

/** Returns two owners in one process, with a clock that can be set forward. */
function rolloutFiles(): StoreUnderTest {
  const home = mkdtempSync(join(tmpdir(), 'conformance-'));
  let ahead = 0;
  return {
    open: () => testStore(home, () => Date.now() + ahead),
    async expire(id) {
      const lock = join(home, 'thread-locks', id);
      // A new thread is locked a moment after its first line.
      while (!lstatSync(lock, { throwIfNoEntry: false })) await delay(5);
      unlinkSync(lock);
      symlinkSync(JSON.stringify({ ...ownMark(), pid: 999_999_999, start: '1', nonce: 'gone' }), lock);
      ahead += 60_000;
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

function memory(): StoreUnderTest {
  const store = createMemoryStore({ keepAll: true });
  return { open: () => store, expire: store.evict };
}

const STORES = {
  'rollout files': rolloutFiles,
  memory,
};

for (const [name, make] of Object.entries(STORES)) {
  describe(name, () => {
    for (const { name: promise, run } of storeConformance(make)) test(promise, run);
  });
}
