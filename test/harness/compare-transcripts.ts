import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { canonicalLine } from '../../src/app/thread/canonical-line.ts';
import { cutMiddle } from '../../src/base/bound-text.ts';
import type { Event, ThreadItem } from '../../src/base/event.ts';
import { briefItem, ITEM_TEXT } from '../../src/events/brief-item.ts';
import { createExecEvents, type ExecItem } from '../../src/events/exec-events.ts';
import { createTranscript } from '../../src/events/transcript.ts';
import { decodeLines } from '../../src/log/decode-lines.ts';
import { openRolloutFile } from '../../src/store/catalogue/rollout-catalogue.ts';
import type { JsonEvent } from './json-lines.ts';

/** A thread whose events a test has seen. */
export interface WatchedThread {
  readonly id: string;
  readonly home: string;
  /** Of all objects that stood for it, one after the other. */
  readonly events: readonly Event[];
  readonly rawReasoning: boolean;
}

/** Fails unless the items that were shown are those that can be read from the log afterwards. */
export async function expectSameItems({ id, home, events, rawReasoning }: WatchedThread): Promise<void> {
  const log = await readLog(home, id, rawReasoning);
  if (!log) return;
  const { items: read, ofTurns, turns } = log;
  const shown = completedItems(events);
  const isRolledBack = events.some(({ type }) => type === 'thread.rolled_back');
  if (!isRolledBack) expect(orphans(shown, read), 'items that were shown and are not in the log').toEqual([]);
  const isWhole = turns === events.filter(({ type }) => type === 'turn.started').length;
  const isAsked = ({ id: item }: ThreadItem) =>
    events.some((event) => event.type === 'turn.suspended' && event.asks.some(({ callId }) => callId === item));
  const ended = ofTurns.filter((item) => !(item.type === 'tool_call' && item.output === null && isAsked(item)));
  if (isWhole) expect(orphans(ended, shown), 'items in the log that were not shown').toEqual([]);
  expect(startless(events), 'items that were completed and never started').toEqual([]);
}

/** Compares the same with the output of `exec --json`. */
export async function expectPrintedItems(
  home: string,
  printed: readonly JsonEvent[],
  rawReasoning: boolean,
): Promise<void> {
  const id = printed.find(({ type }) => type === 'thread.started')?.thread_id;
  const read = typeof id === 'string' ? (await readLog(home, id, rawReasoning))?.items : undefined;
  if (!read) return;
  const last = new Map(
    printed.flatMap(({ type, item }) => (type === 'item.completed' && item ? [[item.id, item] as const] : [])),
  );
  const shown = [...last.values()]
    .filter(({ type }) => type !== 'error')
    .map((item) => withoutId(bounded(item as unknown as ExecItem)));
  expect(orphans(shown, execItems(read).map(withoutId)), 'items that were printed and are not in the log').toEqual([]);
}

function completedItems(events: readonly Event[]): ThreadItem[] {
  const plans = new Map<string, ThreadItem>();
  const items = events.flatMap((event) => {
    if (event.type !== 'item.completed') return [];
    if (event.item.type === 'plan') plans.set(event.item.id, event.item);
    return event.item.type === 'plan' ? [] : [briefItem(event.item)];
  });
  return [...items, ...plans.values()];
}

/** Messages and reasoning begin before they end. */
function startless(events: readonly Event[]): string[] {
  const open = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === 'item.started') open.add(event.item.id);
    if (event.type !== 'item.completed' || !['agent_message', 'reasoning'].includes(event.item.type)) return [];
    return open.delete(event.item.id) ? [] : [event.item.id];
  });
}

/** Returns the items of the first list that the second one lacks, each counted. */
function orphans<T>(items: readonly T[], among: readonly T[]): T[] {
  const left = among.map((item) => JSON.stringify(item));
  return items.filter((item) => {
    const at = left.indexOf(JSON.stringify(item));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

interface ReadLog {
  readonly items: readonly ThreadItem[];
  /** Without the history that the thread began with, which was never shown. */
  readonly ofTurns: readonly ThreadItem[];
  readonly turns: number;
}

async function readLog(home: string, id: string, rawReasoning: boolean): Promise<ReadLog | undefined> {
  const path = rolloutOf(home, id);
  if (path === undefined) return undefined;
  const transcript = createTranscript({ rawReasoning });
  const { read } = await openRolloutFile(home, path);
  let turns = 0;
  for await (const { line } of decodeLines(read(), canonicalLine)) {
    transcript.apply(line);
    if (line.type === 'event_msg' && line.payload.type === 'task_started') turns++;
  }
  const items = transcript.items();
  const ofTurns = items.filter(({ turnId }) => turnId !== null);
  return { items: items.map(({ item }) => item), ofTurns: ofTurns.map(({ item }) => item), turns };
}

function rolloutOf(home: string, id: string): string | undefined {
  const folder = join(home, 'sessions');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${id}.jsonl`));
  return found === undefined ? undefined : join(folder, found);
}

function execItems(items: readonly ThreadItem[]): ExecItem[] {
  const project = createExecEvents();
  return items.flatMap((item, seq) =>
    project({ type: 'item.completed', item, v: 1, seq, threadId: '', turnId: null }).flatMap((event) =>
      'item' in event ? [event.item] : [],
    ),
  );
}

function bounded(item: ExecItem): ExecItem {
  return item.type === 'command_execution'
    ? { ...item, aggregated_output: cutMiddle(item.aggregated_output, ITEM_TEXT) }
    : item;
}

function withoutId({ id: _, ...item }: ExecItem) {
  return item;
}
