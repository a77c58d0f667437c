import type { Event, ThreadItem } from '../../base/event.ts';
import { cutText } from '../../text/fit-text.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from './style.ts';

/** A line at the bottom of a terminal about work that is going on. It is erased before anything else is written. */
export interface Progress {
  /** Writes a text above the line. */
  write(text: string): void;
  show(event: Event): void;
  /** Erases the line for good. */
  end(): void;
}

export interface ProgressOptions {
  readonly style: Style;
  /** Returns the width of the terminal. */
  columns(): number;
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
}

const TICK_MS = 200;
const ERASE_LINE = '\r\u001b[K';

export function createProgress(output: (text: string) => void, options: ProgressOptions): Progress {
  const { style, columns, now = () => performance.now() } = options;
  const work = createWork(now);
  let shown = '';
  let atLineStart = true;
  let timer: NodeJS.Timeout | undefined;

  function erase(): void {
    if (shown !== '') output(ERASE_LINE);
    shown = '';
  }

  function draw(): void {
    // A line in the middle of a text that is being written would become part of it.
    const text = atLineStart ? cutText(work.text(), columns() - 1) : '';
    if (text === shown) return;
    erase();
    if (text !== '') output(style.dim(text));
    shown = text;
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    erase();
  }

  return {
    write(text) {
      erase();
      output(text);
      if (text !== '') atLineStart = text.endsWith('\n');
    },
    show(event) {
      work.follow(event);
      if (work.text() === '') return end();
      // Work that takes no time is never drawn, because only the timer draws.
      timer ??= setInterval(draw, TICK_MS).unref();
    },
    end,
  };
}

/** The work that is going on in a turn, in one line. */
interface Work {
  follow(event: Event): void;
  /** Returns the line. Empty while nothing goes on, or while the user is asked. */
  text(): string;
}

interface RunningItem {
  readonly since: number;
  readonly name: string;
  /** End of its output. */
  tail: string;
  lastLine: string;
}

const ENDS: ReadonlySet<Event['type']> = new Set(['turn.completed', 'turn.failed', 'turn.aborted', 'turn.suspended']);

function createWork(now: () => number): Work {
  const running = new Map<string, RunningItem>();
  const asks = new Set<string>();
  let thinkingSince: number | null = null;
  let retry: { readonly since: number; readonly text: string } | null = null;

  function begin(item: ThreadItem): void {
    const name = NAMES[item.type]?.(item);
    if (name !== undefined) running.set(item.id, { since: now(), name, tail: '', lastLine: '' });
  }

  function follow(event: Event): void {
    if (event.type === 'turn.started') thinkingSince = now();
    if (event.type === 'item.started') begin(event.item);
    if (event.type === 'item.completed' && running.delete(event.item.id) && running.size === 0) thinkingSince = now();
    if (event.type === 'item.dropped') running.delete(event.itemId);
    if (event.type === 'command.output') setLastLine(running.get(event.itemId), event.text);
    if (event.type === 'call.progress') setLastLine(running.get(event.callId), event.text);
    if (event.type === 'ask.opened') asks.add(event.ask.id);
    if (event.type === 'ask.answered') asks.delete(event.askId);
    if (event.type === 'retry') {
      const text = `Reconnecting ${event.attempt}/${event.max}: ${event.reason}`;
      retry = { since: retry?.since ?? now(), text };
    } else if (STARTS_OF_RESPONSES.has(event.type)) retry = null;
    if (!ENDS.has(event.type)) return;
    running.clear();
    asks.clear();
    thinkingSince = null;
    retry = null;
  }

  function text(): string {
    if (thinkingSince === null || asks.size > 0) return '';
    const [latest] = [...running.values()].slice(-1);
    if (latest) return lineOf(latest.lastLine === '' ? latest.name : latest.lastLine, now() - latest.since);
    return retry ? lineOf(retry.text, now() - retry.since) : lineOf('Thinking', now() - thinkingSince);
  }

  return { follow, text };
}

const STARTS_OF_RESPONSES: ReadonlySet<Event['type']> = new Set(['item.started', 'text.delta', 'reasoning.delta']);

/** Names of the items that count as work besides thinking. */
const NAMES: { readonly [T in ThreadItem['type']]?: (item: ThreadItem) => string } = {
  command: () => 'Running',
  file_change: () => 'Changing files',
  tool_call: (item) => ('name' in item ? `Running ${oneLine(item.name)}` : 'Running'),
  web_search: () => 'Searching the web',
};

/** More than a line of any terminal. */
const TAIL_CHARS = 2000;

function setLastLine(item: RunningItem | undefined, text: string): void {
  if (!item) return;
  item.tail = `${item.tail}${text}`.slice(-TAIL_CHARS);
  // A carriage return starts a line over, as the progress of many programs does.
  const last = item.tail.split(/[\r\n]/).findLast((line) => line.trim() !== '');
  item.lastLine = oneLine(last ?? '');
}

const oneLine = (text: string) => printable(text).replace(/\s+/g, ' ').trim();

/** Returns a line that begins with the time, which is then seen however narrow the terminal is. */
function lineOf(text: string, ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const time = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
  return `${time}  ${oneLine(text)}`;
}
