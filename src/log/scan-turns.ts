import { eachLine } from '../base/each-line.ts';
import type { LogLine } from '../base/log.ts';
import type { LineBlock } from '../base/thread-store.ts';
import { type LineHead, lineHead } from './line-head.ts';
import { decodeLine } from './rollout-line.ts';
import { createTurnList, type PlacedTurn } from './turn-list.ts';

/** The turns of a thread and their positions among its lines. */
export interface ScannedThread {
  readonly turns: readonly PlacedTurn[];
  /** Turns that were rolled back. */
  readonly dropped: readonly PlacedTurn[];
  /** Number of lines of the thread. */
  readonly lines: number;
  /** Indexes of checkpoints that are followed by their history: such a line needs none of the lines before it. */
  readonly bases: readonly number[];
  /** Number of examined lines that could not be read. */
  readonly damaged: number;
}

/** Finds the turns of a thread. Only lines about turns are parsed, and memory does not grow with the others. */
export async function scanTurns(blocks: AsyncIterable<LineBlock>): Promise<ScannedThread> {
  const list = createTurnList();
  const bases: number[] = [];
  let damaged = 0;
  let lines = 0;
  let checkpoint = Number.NaN;
  for await (const block of blocks) {
    const { bytes } = block;
    eachLine(block, (start, end) => {
      const index = lines++;
      const head = lineHead(bytes, start, end);
      if (head?.kind === 'checkpoint') checkpoint = index;
      if (head?.type === 'compacted' && checkpoint === index - 1) bases.push(checkpoint);
      if (head && !isAboutTurns(head)) return;
      try {
        const line = decode(bytes.toString('utf8', start, end));
        if (line) list.apply(line, { index, time: line.timestamp ?? null });
      } catch {
        damaged++;
      }
    });
  }
  return { turns: list.turns, dropped: list.dropped, lines, bases, damaged };
}

const EVENTS: ReadonlySet<string | undefined> = new Set([
  'task_started',
  'task_complete',
  'turn_aborted',
  'thread_rolled_back',
]);
const OWN: ReadonlySet<string | undefined> = new Set(['checkpoint', 'turn.failed', 'turn.suspended']);

function isAboutTurns({ type, kind }: LineHead): boolean {
  if (type === 'event_msg') return EVENTS.has(kind);
  if (type === 'oxbow') return OWN.has(kind);
  // An item whose type does not come first may be a message too.
  return type === 'response_item' && (kind === 'message' || kind === undefined);
}

function decode(text: string): (LogLine & { readonly timestamp?: string }) | undefined {
  return decodeLine(text);
}
