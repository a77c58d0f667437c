import { UserError } from '../base/errors.ts';
import type { LogLine } from '../base/log.ts';
import type { LineHead } from './line-head.ts';
import type { Place } from './lines-back.ts';
import type { ReadingOptions } from './lines-of.ts';
import { lineAt } from './places-back.ts';
import type { Part } from './thread-parts.ts';

/** What the state of a thread takes from lines before the one that replaced its history. */
export interface EarlierLines {
  /** Those that count, in their order. */
  readonly kept: readonly LogLine[];
  /** Those that count turns, after the checkpoint if there is one among the others. */
  readonly turns: readonly LogLine[];
  /** From where on input was queued; undefined when none was. */
  readonly queue: Place<Part> | undefined;
}

/** What lines tell of the state. The last one that tells it counts; of turns and queue, all do. */
type Fact = 'context' | 'instructions' | 'queue' | 'requests' | 'tools' | 'turns' | 'usage';

/** Looks through lines, the newest first, no further back than it must: a checkpoint tells all but the turn's context. */
export function findEarlier(places: Iterable<Place<Part>>, { decode, onFault }: ReadingOptions): EarlierLines {
  const found = createFound();
  try {
    for (const place of places) {
      if (place.head && !mayTell(place.head, found.known)) continue;
      const line = lineAt(place, decode);
      if (line) found.add(line, place);
      if (found.known.has('turns') && found.known.has('context')) break;
    }
  } catch (error) {
    // What a fork points to is missing; its history does without.
    if (!(error instanceof UserError)) throw error;
    onFault(error.message);
  }
  return found.earlier();
}

function createFound() {
  const kept: LogLine[] = [];
  const turns: LogLine[] = [];
  const known = new Set<Fact>();
  let queue: Place<Part> | undefined;
  return {
    known: known as ReadonlySet<Fact>,
    add(line: LogLine, place: Place<Part>): void {
      const facts = factsOf(line).filter((fact) => !known.has(fact));
      if (facts.length === 0) return;
      if (isTurn(line)) {
        turns.push(line.payload.type === 'task_started' ? SOME_TURN : line);
        return;
      }
      // What waited at a checkpoint may have been taken since.
      if (isQueued(line) || hasQueue(line)) queue = place;
      if (isQueued(line)) return;
      kept.push(line);
      for (const fact of facts) known.add(fact);
    },
    earlier: (): EarlierLines => ({ kept: kept.reverse(), turns: turns.reverse(), queue }),
  };
}

/** Whether a line is about input that waits: puts it there, changes it or takes it away. */
export function isQueued(line: LogLine): boolean {
  if (line.type === 'response_item') return line.metadata?.queued !== undefined;
  return line.type === 'oxbow' && line.payload.kind.startsWith('input.');
}

function hasQueue(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'checkpoint' && line.payload.queue.length > 0;
}

function isTurn(line: LogLine): line is LogLine & { readonly type: 'event_msg' } {
  return line.type === 'event_msg' && line.payload.type !== 'token_count';
}

/** There may be many, of which no more counts than that they were there. */
const SOME_TURN: LogLine = { type: 'event_msg', payload: { type: 'task_started', turn_id: '' } };

const TOLD_BY: Readonly<Record<string, readonly Fact[]>> = {
  task_started: ['turns'],
  thread_rolled_back: ['turns'],
  token_count: ['usage'],
  'request.started': ['requests'],
  'prefix.changed': ['instructions', 'tools'],
  'input.queued': ['queue'],
  'input.edited': ['queue'],
  'input.removed': ['queue'],
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
