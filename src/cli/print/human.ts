import type { CommandItem, Event, FileChangeItem, PlanItem, ThreadItem, ToolCallItem } from '../../base/event.ts';
import type { QueuedInput } from '../../base/input.ts';
import { visibleText } from '../../base/visible-text.ts';
import { waitingText } from '../../events/exec-events.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { callOutput } from '../../text/call-output.ts';
import { firstLine } from '../../text/first-line.ts';
import { searchNote } from '../../text/search-note.ts';
import { printable } from '../../text/visible.ts';
import { shownInput } from '../exec/input-events.ts';
import { formatPatch, type PatchFormat } from './format-patch.ts';
import { reasonText, type ShownLimits } from './reason-text.ts';
import { createRepairNotes } from './repair-notes.ts';
import type { Style } from './style.ts';
import { createTurnSummary } from './turn-summary.ts';

export interface HumanPrinterOptions {
  readonly style: Style;
  /** Whether texts are shown while they arrive. Otherwise they are shown when complete. */
  readonly live: boolean;
  /** Folder that paths below it are shown relative to. */
  readonly folder?: string;
  /** Whether a line of progress counts the retries, which then have no lines of their own. */
  readonly countsRetries?: boolean;
  /** Limits that refusals are explained with. */
  readonly limits?: ShownLimits;
  /** Rows of the terminal that texts are wrapped to. Without them texts are printed as they are. */
  readonly rows?: TerminalRows;
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
}

/** Rows that fit a terminal, made from texts. */
export interface TerminalRows {
  /** Renders a message of the model, which is Markdown. */
  message(text: string): string;
  /** Renders a message as it arrives. Undefined if that is not possible. */
  openMessage(): ArrivingMessage | undefined;
  patch(item: FileChangeItem, format: PatchFormat): string;
  /** Wraps a text that may have colours at its words. */
  wrap(text: string): string;
}

/** A message of the model that arrives. */
export interface ArrivingMessage {
  /** Returns the rows that the next part of the text finishes, without a line feed at the end. Empty for none. */
  push(delta: string): string;
  /** Returns the other rows. */
  end(): string;
}

const HEAD_LINES = 6;
const TAIL_LINES = 6;

/** Returns the printer of a turn for people: texts, commands with exit code and time, tokens at the end. */
export function createHumanPrinter(write: (text: string) => void, options: HumanPrinterOptions) {
  const { style, rows, now = () => performance.now() } = options;
  let writtenMessage: string | null = null;
  /** Command that is last on the screen. The output of another command needs its name again. */
  let lastCommand: string | null = null;
  const repairs = createRepairNotes();
  const summarize = createTurnSummary(now);

  /** Writes a text that has its rows already, or that the terminal wraps so that it can be copied. */
  function whole(text: string | undefined): void {
    if (text === undefined) return;
    if (writtenMessage !== null) write('\n');
    [writtenMessage, lastCommand] = [null, null];
    write(`${text}\n`);
  }

  const line = (text: string | undefined) => whole(text === undefined ? undefined : (rows?.wrap(text) ?? text));
  const showRepairs = () => repairs.take().forEach((note) => void line(style.dim(note)));

  const arriving = createArriving(rows, whole);

  function showText({ itemId, delta }: { itemId: string; delta: string }): void {
    if (writtenMessage !== itemId) write(writtenMessage === null ? '\n' : '\n\n');
    writtenMessage = itemId;
    lastCommand = null;
    write(printable(delta));
  }

  function showStarted(item: ThreadItem): void {
    line(startedText(item, style));
    if (item.type !== 'command') return;
    whole(`${style.cyan('$')} ${visibleCommand(item)}`);
    lastCommand = item.id;
  }

  function showCompleted(item: ThreadItem): void {
    if (item.type === 'agent_message' && arriving.end(item.id)) return;
    if (item.type === 'agent_message' && writtenMessage === item.id) {
      writtenMessage = null;
      write('\n');
      return;
    }
    if (item.type === 'command' && lastCommand !== item.id) whole(style.dim(`$ ${visibleCommand(item)}`));
    whole(completedText(item, options));
  }

  return (event: Event): void => {
    if (event.type === 'turn.started') repairs.reset();
    // A repair is shown before the call that it made, and otherwise never interrupts a text.
    if (event.type === 'item.started' && !('text' in event.item)) showRepairs();
    const summary = summarize(event);
    line(summary && style.dim(`\n${summary}`));
    if (event.type === 'text.delta') (options.live ? showText : arriving.add)(event);
    else if (event.type === 'repair') repairs.add(event);
    else if (event.type === 'item.started' || event.type === 'item.updated') showStarted(event.item);
    else if (event.type === 'item.completed') showCompleted(event.item);
    else if (event.type !== 'retry' || !options.countsRetries) line(noteOf(event, style));
    if (writtenMessage === null && !arriving.isShown()) showRepairs();
  };
}

/** Returns the message that arrives, of which each part is shown as soon as its rows are known. */
function createArriving(rows: TerminalRows | undefined, show: (text: string) => void) {
  let open: { readonly id: string; readonly message: ArrivingMessage; isShown: boolean } | undefined;

  function showRows(text: string): void {
    if (open === undefined || text === '') return;
    show(open.isShown ? text : `\n${text}`);
    open.isShown = true;
  }

  return {
    isShown: () => open?.isShown ?? false,
    add({ itemId, delta }: { itemId: string; delta: string }): void {
      if (open?.id !== itemId) {
        const message = rows?.openMessage();
        open = message && { id: itemId, message, isShown: false };
      }
      showRows(open?.message.push(delta) ?? '');
    },
    /** Shows the rest of a message. Returns false if nothing of it was shown. */
    end(id: string): boolean {
      if (open?.id !== id || !open.isShown) return false;
      showRows(open.message.end());
      open = undefined;
      return true;
    },
  };
}

/** Returns the text of a completed item that was not shown while it arrived. */
function completedText(item: ThreadItem, options: HumanPrinterOptions): string | undefined {
  const { style, folder, limits, rows } = options;
  if (item.type === 'agent_message') return `\n${rows?.message(item.text) ?? printable(item.text)}`;
  if (item.type === 'file_change') {
    const format = { style, folder, reason: reasonText(item, limits) };
    return rows?.patch(item, format) ?? formatPatch(item, format);
  }
  const text = otherText(item, options);
  return text === undefined ? undefined : (rows?.wrap(text) ?? text);
}

type OtherItem = Exclude<ThreadItem, { type: 'agent_message' | 'file_change' }>;

function otherText(item: OtherItem, { style, limits }: HumanPrinterOptions): string | undefined {
  switch (item.type) {
    case 'command':
      return commandEnd(item, style, reasonText(item, limits));
    case 'reasoning':
      return style.dim(`\n${printable(item.text)}`);
    case 'tool_call':
      return item.status === 'failed' ? style.red(callFailure(item)) : undefined;
    case 'web_search':
      return style.dim(searchNote(item));
    case 'plan':
    case 'user_message':
      return undefined;
  }
}

/** Returns the text of an event that is shown as one line. */
function noteOf(event: Event, style: Style): string | undefined {
  switch (event.type) {
    case 'retry':
      return style.dim(`Reconnecting ${event.attempt}/${event.max} in ${seconds(event.delayMs)}: ${event.reason}`);
    case 'usage.waiting':
      return style.dim(`${waitingText(event)} Interrupt to stop.`);
    case 'warning':
      // Printed before the thread begins.
      return event.code === 'config' ? undefined : `warning: ${event.message}`;
    case 'input.taken':
      return style.dim(inputLine(event));
    case 'compacted':
      return style.dim(`compacted: ${brief(event.before)} tokens before, ${brief(event.after)} now`);
    case 'turn.failed':
      return style.red(`ERROR: ${event.error.message}`);
    case 'turn.aborted':
      return 'interrupted';
    default:
      return undefined;
  }
}

/** Rounds a count of tokens for display. */
const brief = (count: number) => (count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`);

function inputLine(input: QueuedInput): string {
  const { text, images = 0 } = shownInput(input);
  const shown = [...(images === 0 ? [] : [`[images: ${images}]`]), ...printable(text).split('\n')];
  return `\n${shown.map((line) => `> ${line}`).join('\n')}`;
}

const visibleCommand = ({ argv }: CommandItem) => visibleText(shownCommand(argv));

const MARKS = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const;

function formatPlan({ explanation, steps }: PlanItem, style: Style): string {
  const title = explanation === null ? '' : `: ${printable(explanation)}`;
  const rows = steps.map(({ step, status }) => {
    const row = `  ${MARKS[status]} ${printable(step)}`;
    return status === 'completed' ? style.dim(row) : row;
  });
  return [`\n${style.bold('plan')}${title}`, ...rows].join('\n');
}

/** Returns the text of an item that has begun. Commands are shown apart. */
function startedText(item: ThreadItem, style: Style): string | undefined {
  if (item.type === 'plan') return formatPlan(item, style);
  return item.type === 'tool_call' && item.mcp ? mcpLine(item, item.mcp, style) : undefined;
}

function mcpLine(item: ToolCallItem, { server, tool }: NonNullable<ToolCallItem['mcp']>, style: Style): string {
  return `${style.cyan('mcp')} ${printable(`${server}.${tool}`)} ${visibleText(cutLine(item.arguments))}`;
}

const SHOWN_ARGUMENTS = 200;

const cutLine = (text: string) => (text.length > SHOWN_ARGUMENTS ? `${text.slice(0, SHOWN_ARGUMENTS)}…` : text);

function callFailure({ name, output }: ToolCallItem): string {
  const why = firstLine(callOutput(output));
  return `${printable(name)} failed${why === '' ? '' : `: ${why}`}`;
}

function commandEnd(item: CommandItem, style: Style, reason: string | undefined): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  if (item.status === 'declined') return `  ${style.red('not run')}${why}`;
  const lines = printable(item.output).trimEnd().split('\n');
  const hidden = lines.length - HEAD_LINES - TAIL_LINES;
  const shown =
    hidden > 1
      ? [...lines.slice(0, HEAD_LINES), `… ${hidden} more lines`, ...lines.slice(-TAIL_LINES)]
      : lines.filter((text, index) => text !== '' || index > 0);
  const code = item.exitCode === null ? 'failed' : `exit ${item.exitCode}`;
  const time = item.durationMs === null ? '' : ` in ${seconds(item.durationMs)}`;
  const end = (item.status === 'completed' ? style.green : style.red)(`${code}${time}`);
  return [...shown.map((text) => style.dim(`  ${text}`)), `  ${end}${why}`].join('\n');
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)}s`;
