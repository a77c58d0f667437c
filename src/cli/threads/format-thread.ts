import type { ThreadDetails, ThreadTurn } from '../../app/threads/threads.ts';
import { cutText } from '../print/fit-text.ts';
import { printable } from '../print/printable.ts';
import type { Style } from '../print/style.ts';
import { relativeTime } from './relative-time.ts';

export interface ThreadLayout {
  readonly style: Style;
  readonly columns: number;
  /** Time that others are shown relative to. Null shows them as they are. */
  readonly now: number | null;
}

/** Returns a thread and its turns for people. */
export function formatThread(thread: ThreadDetails, layout: ThreadLayout): string {
  const { dim } = layout.style;
  const facts = factsOf(thread, layout).map(([name, value]) => `${dim(name.padEnd(9))}${oneLine(value)}\n`);
  const turns = thread.turns.map((turn) => formatTurn(turn, layout));
  return `${facts.join('')}\n${turns.length === 0 ? 'The thread has no turns.\n' : turns.join('')}`;
}

function factsOf(thread: ThreadDetails, { now }: ThreadLayout): (readonly [string, string])[] {
  const { name, cwd, model, provider, source, forkedFrom, note } = thread;
  const rows: (readonly [string, string | null])[] = [
    ['thread', thread.id],
    ['name', name],
    ['folder', cwd],
    ['model', model === null ? null : `${model}${provider === null ? '' : ` (${provider})`}`],
    ['source', source],
    ['fork of', forkedFrom],
    ['began', timeText(thread.startedAt, now)],
    ['changed', timeText(thread.changedAt, now)],
    ['file', `${thread.label}${thread.archived ? ' (archived)' : ''}`],
    ['size', sizeText(thread.bytes)],
    ['damage', note],
  ];
  return rows.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]));
}

function formatTurn(turn: ThreadTurn, { style, columns, now }: ThreadLayout): string {
  const { dim, bold, red } = style;
  const number = String(turn.number).padStart(3);
  const when = turn.startedAt === null ? '' : timeText(turn.startedAt, now);
  const status = turn.status === 'completed' ? '' : red(turn.status);
  const first = [bold(number), dim(when), status].filter((part) => part !== '').join('  ');
  const body = (text: string) => cutText(oneLine(text), columns - 5);
  const input = turn.input === null ? dim('no input') : body(turn.input);
  const answer = turn.answer ? `     ${dim(body(firstLine(turn.answer)))}\n` : '';
  return `${first}\n     ${input}\n${answer}`;
}

function timeText(iso: string, now: number | null): string {
  return now === null ? iso : relativeTime(iso, now);
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}
