import type { CommandItem, Event, PlanItem, ThreadItem, WebSearchItem } from '../../base/event.ts';
import type { Usage } from '../../base/usage.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { formatPatch } from './format-patch.ts';
import { printable } from './printable.ts';
import { createRepairNotes } from './repair-notes.ts';
import type { Style } from './style.ts';

export interface HumanPrinterOptions {
  readonly style: Style;
  /** Whether texts are shown while they arrive; otherwise when they are complete. */
  readonly live: boolean;
  /** Files below it are shown from there on. */
  readonly folder?: string;
}

const HEAD_LINES = 6;
const TAIL_LINES = 6;

/** What a person sees of a turn: texts, commands with exit code and time, tokens at the end. */
export function createHumanPrinter(write: (text: string) => void, { style, live, folder }: HumanPrinterOptions) {
  /** The message whose text is being written, if any. */
  let open: string | null = null;
  /** The command that stands last on the screen: the output of another one needs its name again. */
  let lastCommand: string | null = null;
  const repairs = createRepairNotes();

  function line(text: string): void {
    if (open !== null) write('\n');
    open = null;
    lastCommand = null;
    write(`${text}\n`);
  }

  function showText({ itemId, delta }: { itemId: string; delta: string }): void {
    if (!live) return;
    if (open !== itemId) write(open === null ? '\n' : '\n\n');
    open = itemId;
    lastCommand = null;
    write(printable(delta));
  }

  function showStarted(item: ThreadItem): void {
    if (item.type === 'plan') line(formatPlan(item, style));
    if (item.type !== 'command') return;
    line(`${style.cyan('$')} ${printable(shownCommand(item.argv))}`);
    lastCommand = item.id;
  }

  function showCompleted(item: ThreadItem): void {
    if (item.type === 'command') {
      if (lastCommand !== item.id) line(style.dim(`$ ${printable(shownCommand(item.argv))}`));
      line(commandEnd(item, style));
    } else if (item.type === 'reasoning') line(style.dim(`\n${printable(item.text)}`));
    else if (item.type === 'tool_call') {
      if (item.status === 'failed') line(style.dim(`${item.name} failed`));
    } else if (item.type === 'web_search') line(style.dim(searchLine(item)));
    else if (item.type === 'file_change') line(formatPatch(item, style, folder));
    else if (item.type === 'plan') return;
    else if (open !== item.id) line(`\n${printable(item.text)}`);
    else {
      write('\n');
      open = null;
    }
  }

  return (event: Event): void => {
    if (event.type === 'turn.started') repairs.reset();
    if (event.type === 'text.delta') showText(event);
    else if (event.type === 'repair') repairs.add(event);
    else if (event.type === 'item.started' || event.type === 'item.updated') showStarted(event.item);
    else if (event.type === 'item.completed') showCompleted(event.item);
    else {
      const note = noteOf(event, style);
      if (note !== undefined) line(note);
    }
    // Never in the middle of a text.
    if (open === null) for (const note of repairs.take()) line(style.dim(note));
  };
}

/** What is said in one line. */
function noteOf(event: Event, style: Style): string | undefined {
  switch (event.type) {
    case 'retry':
      return style.dim(`Reconnecting ${event.attempt}/${event.max} in ${seconds(event.delayMs)}: ${event.reason}`);
    case 'warning':
      return `warning: ${event.message}`;
    case 'turn.failed':
      return style.red(`error: ${event.error.message}`);
    case 'turn.aborted':
      return 'interrupted';
    case 'turn.completed':
      return style.dim(`\ntokens used: ${tokens(event.usage)}`);
    default:
      return undefined;
  }
}

/** `bash -c 'ls'` is the shell's business; people want to read `ls`. */
function shownCommand(argv: readonly string[]): string {
  const [program = '', flag, script] = argv;
  const isScript = argv.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(program) && (flag === '-c' || flag === '-lc');
  return isScript && script !== undefined ? script : quoteArgv(argv);
}

function searchLine({ query, status }: WebSearchItem): string {
  return `${status === 'failed' ? 'search failed' : 'searched the web'}${query === '' ? '' : `: ${printable(query)}`}`;
}

const MARKS = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const;

function formatPlan({ explanation, steps }: PlanItem, style: Style): string {
  const title = explanation === null ? '' : `: ${printable(explanation)}`;
  const rows = steps.map(({ step, status }) => {
    const row = `  ${MARKS[status]} ${printable(step)}`;
    return status === 'completed' ? style.dim(row) : row;
  });
  return [`\n${style.bold('plan')}${title}`, ...rows].join('\n');
}

function commandEnd(item: CommandItem, style: Style): string {
  if (item.status === 'declined') return style.red('  not allowed');
  const lines = printable(item.output).trimEnd().split('\n');
  const hidden = lines.length - HEAD_LINES - TAIL_LINES;
  const shown =
    hidden > 1
      ? [...lines.slice(0, HEAD_LINES), `… ${hidden} more lines`, ...lines.slice(-TAIL_LINES)]
      : lines.filter((text, index) => text !== '' || index > 0);
  const code = item.exitCode === null ? 'failed' : `exit ${item.exitCode}`;
  const time = item.durationMs === null ? '' : ` in ${seconds(item.durationMs)}`;
  const end = (item.status === 'completed' ? style.green : style.red)(`${code}${time}`);
  return [...shown.map((text) => style.dim(`  ${text}`)), `  ${end}`].join('\n');
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)}s`;

/** What is paid for: input that was not cached, and output. */
function tokens(usage: Usage): string {
  const count = usage.inputTokens - usage.cachedInputTokens + usage.outputTokens;
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
