import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../../src/base/event.ts';
import type { WatchedThread } from './compare-transcripts.ts';

let reason: string | undefined;

/** Skips the replay of the rollouts of this test, which writes lines that no run could have written. Say why. */
export function notReplayed(why: string): void {
  reason = why;
}

/** Compares the items of a thread with its log at the end of the test. Returns the receiver of its events. */
export function watchUntilEnd(facts: Omit<WatchedThread, 'events'>): (event: Event) => void {
  const { id } = facts;
  const thread = watched.get(id) ?? { ...facts, events: [] };
  watched.set(id, thread);
  return (event) => void thread.events.push(event);
}

const watched = new Map<string, WatchedThread & { readonly events: Event[] }>();

/** Reports whether the logs of this test are as they were written. */
export function isGenuine(): boolean {
  return reason === undefined && isCompared;
}

/** Skips the comparison of items with logs in this test, which changes logs after they were written. Say why. */
export function notCompared(why: string): void {
  isCompared = why === '';
}

let isCompared = true;

/** Replays every rollout below a home at the end of the test. */
export function replayAtEnd(home: string): void {
  atEnd.add(home);
}

const atEnd = new Set<string>();

/**
 * Replays the rollouts of a test that has ended and whose homes still exist. Throws at the first line that is not
 * reproduced.
 */
export async function expectReproduced(): Promise<void> {
  const homes = [...atEnd];
  atEnd.clear();
  const skipped = reason !== undefined;
  reason = undefined;
  const threads = isCompared ? [...watched.values()] : [];
  watched.clear();
  isCompared = true;
  if (skipped) return;
  for (const home of homes) await replayBelow(home);
  for (const thread of threads) await (await import('./compare-transcripts.ts')).expectSameItems(thread);
}

/** Replays the rollouts that a program left below a home that may soon be gone. */
export async function replayNow(home: string): Promise<void> {
  if (reason === undefined && !atEnd.has(home)) await replayBelow(home);
}

async function replayBelow(home: string): Promise<void> {
  for (const path of rolloutsBelow(home)) await expectReplay(path, home);
}

function rolloutsBelow(home: string): string[] {
  return ['sessions', 'archived_sessions'].flatMap((name) => {
    const folder = join(home, name);
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((file) => /rollout-[^/]*\.jsonl$/.test(file)).map((file) => join(folder, file));
  });
}

async function expectReplay(path: string, home: string): Promise<void> {
  // Many tests leave no rollout, and the module takes time to load.
  const { replayRollout } = await import('../../src/app/threads/replay.ts');
  const { divergence } = await replayRollout(path, home);
  if (!divergence) return;
  const shown = (line: unknown) => JSON.stringify(line)?.slice(0, 2000);
  throw new Error(
    `The replay of ${path} is not what was recorded: line ${divergence.line} ${divergence.reason}\n` +
      `recorded: ${shown(divergence.recorded)}\ncame: ${shown(divergence.came)}`,
  );
}
