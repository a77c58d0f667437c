import { UserError } from '../../base/errors.ts';
import type { LogLine } from '../../base/log.ts';
import type { StoredLine } from '../../base/thread-store.ts';
import type { LineHead } from '../../log/line-head.ts';
import type { LineDecoder } from '../../log/rollout-line.ts';
import type { FilePart, LinePosition } from './lines-back.ts';
import { lineAt } from './read-lines.ts';

/** Lines before the last base that the state of a thread still needs. */
export interface EarlierLines {
  /** Needed lines, in their order. */
  readonly kept: readonly StoredLine[];
  /** Lines that count turns. They follow a checkpoint that is among the kept lines. */
  readonly turns: readonly StoredLine[];
  /** Position of the first line that may concern queued input, or undefined if there is none. */
  readonly queue: LinePosition<FilePart> | undefined;
}

export interface ResumeOptions {
  /** Decodes a line, or rejects one that cannot be used. */
  readonly decode: LineDecoder;
  /** Receives sentences for the user. */
  onNote(note: string): void;
}

/** A part of the state that lines contain. The last line with it counts; for turns and queue, all lines count. */
type Fact = 'context' | 'instructions' | 'queue' | 'requests' | 'tools' | 'turns' | 'usage';

/**
 * Searches lines from the newest on, no further back than necessary. A checkpoint contains everything but the turn's
 * context.
 */
export function findEarlierLines(
  positions: Iterable<LinePosition<FilePart>>,
  { decode, onNote }: ResumeOptions,
): EarlierLines {
  const found = createFound();
  try {
    for (const position of positions) {
      if (position.head && !mayTell(position.head, found.known)) continue;
      const stored = lineAt(position);
      const line = decode(stored.bytes, () => {});
      if (line) found.add(line, stored, position);
      if (found.known.has('turns') && found.known.has('context')) break;
    }
  } catch (error) {
    // The thread that a fork points to is missing. Its history can be used without.
    if (!(error instanceof UserError)) throw error;
    onNote(error.message);
  }
  return found.earlier();
}

function createFound() {
  const kept: StoredLine[] = [];
  const turns: StoredLine[] = [];
  const known = new Set<Fact>();
  let queue: LinePosition<FilePart> | undefined;
  return {
    known: known as ReadonlySet<Fact>,
    add(line: LogLine, stored: StoredLine, position: LinePosition<FilePart>): void {
      const facts = factsOf(line).filter((fact) => !known.has(fact));
      if (facts.length === 0) return;
      if (isTurn(line)) {
        turns.push(line.payload.type === 'task_started' ? SOME_TURN : stored);
        return;
      }
      // Input that was queued at a checkpoint may have been used since.
      if (isQueued(line) || hasQueue(line)) queue = position;
      if (isQueued(line)) return;
      kept.push(stored);
      for (const fact of facts) known.add(fact);
    },
    earlier: (): EarlierLines => ({ kept: kept.reverse(), turns: turns.reverse(), queue }),
  };
}

/** Reports whether a line adds, changes or removes queued input, or a command of the user that waits like it. */
export function isQueued(line: LogLine): boolean {
  if (line.type === 'response_item') return (line.metadata?.queued ?? line.metadata?.command) !== undefined;
  return line.type === 'oxbow' && QUEUED.test(line.payload.kind);
}

const QUEUED = /^(input|command)\./;

function hasQueue(line: LogLine): boolean {
  if (line.type !== 'oxbow' || line.payload.kind !== 'checkpoint') return false;
  return line.payload.queue.length > 0 || line.payload.commands !== undefined;
}

function isTurn(line: LogLine): line is LogLine & { readonly type: 'event_msg' } {
  return line.type === 'event_msg' && line.payload.type !== 'token_count';
}

/** Stands for any turn. There may be many turns, and only their number counts. */
const SOME_TURN: StoredLine = {
  label: '',
  number: 0,
  bytes: Buffer.from('{"type":"event_msg","payload":{"type":"task_started","turn_id":""}}'),
};

const TOLD_BY: Readonly<Record<string, readonly Fact[]>> = {
  task_started: ['turns'],
  thread_rolled_back: ['turns'],
  token_count: ['usage'],
  'request.started': ['requests'],
  'prefix.changed': ['instructions', 'tools'],
  'input.queued': ['queue'],
  'input.edited': ['queue'],
  'input.removed': ['queue'],
  'command.started': ['queue'],
  'command.ended': ['queue'],
  checkpoint: ['turns', 'usage', 'requests', 'instructions', 'tools', 'queue'],
};

function mayTell({ type, kind }: LineHead, known: ReadonlySet<Fact>): boolean {
  if (type === 'turn_context') return !known.has('context');
  if (type !== 'event_msg' && type !== 'oxbow') return false;
  return kind === undefined || (TOLD_BY[kind]?.some((fact) => !known.has(fact)) ?? false);
}

function factsOf(line: LogLine): readonly Fact[] {
  switch (line.type) {
    case 'turn_context':
      return ['context'];
    case 'event_msg':
      return line.payload.type === 'token_count' && !line.payload.info ? [] : (TOLD_BY[line.payload.type] ?? []);
    case 'oxbow':
      return line.payload.kind === 'prefix.changed' ? prefixFacts(line.payload) : (TOLD_BY[line.payload.kind] ?? []);
    default:
      return [];
  }
}

function prefixFacts({ instructions, tools }: { instructions?: string; tools?: string }): readonly Fact[] {
  return [
    ...(instructions === undefined ? [] : ['instructions' as const]),
    ...(tools === undefined ? [] : ['tools' as const]),
  ];
}
