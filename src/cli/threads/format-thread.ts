import type { ToldThread, ToldTurn } from '../../app/threads/tell-thread.ts';
import type { ThreadDetails } from '../../app/threads/threads.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';
import { type ToldBlock, toldBlock } from './told-block.ts';

export interface ThreadLayout {
  readonly style: Style;
  /** Time that others are shown relative to. Null shows them as they are. */
  readonly now: number | null;
  /** Whether long outputs are shown from beginning to end. */
  readonly full: boolean;
}

/** Returns a whole thread for people. */
export function formatThread({ details, turns }: ToldThread, layout: ThreadLayout): string {
  const { dim } = layout.style;
  const facts = threadFacts(details, layout.now).map(([name, value]) => `${dim(name.padEnd(9))}${value}\n`);
  const told = turns.map((turn) => formatTurn(turn, layout));
  return `${facts.join('')}\n${told.length === 0 ? 'The thread has no turns.\n' : told.join('\n')}`;
}

/** Returns the facts about a thread with their names, each one line. Times are relative to `now`, unless it is null. */
export function threadFacts(thread: ThreadDetails, now: number | null): (readonly [name: string, value: string])[] {
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
  return rows.flatMap(([label, value]) => (value === null ? [] : [[label, oneLine(value)] as const]));
}

function formatTurn({ turn, items, failure }: ToldTurn, { style, now, full }: ThreadLayout): string {
  const { dim, bold, red } = style;
  const heading = turn && [
    bold(String(turn.number).padStart(3)),
    dim(turn.startedAt === null ? '' : timeText(turn.startedAt, now)),
    turn.status === 'completed' ? '' : red(turn.status),
  ];
  const blocks = items.map((told) => formatBlock(toldBlock(told, turn, full), style));
  const error = failure === null ? [] : [red(`error: ${printable(failure)}`)];
  return [...(heading ? [heading.filter((part) => part !== '').join('  ')] : []), ...blocks, ...error, ''].join('\n');
}

function formatBlock(block: ToldBlock, { dim, bold, cyan, green, red }: Style): string {
  if (block.kind === 'text') return `\n${printable(block.text).trimEnd()}\n`;
  if (block.kind === 'reasoning') return dim(`\n${printable(block.text).trimEnd()}\n`);
  if (block.kind === 'input') return indented(block.text, bold('> ')).join('\n');
  const end = block.end === '' ? [] : [`  ${(block.failed ? red : green)(block.end)}`];
  const body = block.body.trim() === '' ? [] : indented(block.body, '  ').map(dim);
  return [cyan(printable(block.title)), ...body, ...end].join('\n');
}

function indented(text: string, margin: string): string[] {
  return printable(text)
    .trimEnd()
    .split('\n')
    .map((line) => `${margin}${line}`);
}

function timeText(iso: string, now: number | null): string {
  return now === null ? iso : relativeTime(iso, now);
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}
