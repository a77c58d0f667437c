import type { CommandItem, Event } from '../../base/event.ts';
import type { Usage } from '../../base/usage.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

export interface HumanPrinterOptions {
  readonly style: Style;
  /** Whether texts are shown while they arrive; otherwise when they are complete. */
  readonly live: boolean;
}

const HEAD_LINES = 6;
const TAIL_LINES = 6;

/** What a person sees of a turn: texts, commands with exit code and time, tokens at the end. */
export function createHumanPrinter(write: (text: string) => void, { style, live }: HumanPrinterOptions) {
  /** The message whose text is being written, if any. */
  let open: string | null = null;

  function line(text: string): void {
    if (open !== null) write('\n');
    open = null;
    write(`${text}\n`);
  }

  return (event: Event): void => {
    switch (event.type) {
      case 'text.delta':
        if (!live) return;
        if (open !== event.itemId) write(open === null ? '\n' : '\n\n');
        open = event.itemId;
        write(printable(event.delta));
        return;
      case 'item.completed':
        if (event.item.type === 'command') line(commandEnd(event.item, style));
        else if (event.item.type === 'reasoning') line(style.dim(`\n${printable(event.item.text)}`));
        else if (event.item.type === 'agent_message') {
          if (open === event.item.id) line('');
          else line(`\n${printable(event.item.text)}`);
        } else if (event.item.status === 'failed') line(style.dim(`${event.item.name} failed`));
        return;
      case 'item.started':
        if (event.item.type === 'command') line(`${style.cyan('$')} ${printable(shownCommand(event.item.argv))}`);
        return;
      case 'retry':
        line(style.dim(`Reconnecting ${event.attempt}/${event.max} in ${seconds(event.delayMs)}: ${event.reason}`));
        return;
      case 'repair':
        line(style.dim(`repair ${event.name}: ${printable(event.detail)}`));
        return;
      case 'warning':
        line(`warning: ${event.message}`);
        return;
      case 'turn.failed':
        line(style.red(`error: ${event.error.message}`));
        return;
      case 'turn.aborted':
        line('interrupted');
        return;
      case 'turn.completed':
        line(style.dim(`\ntokens used: ${tokens(event.usage)}`));
    }
  };
}

/** `bash -c 'ls'` is the shell's business; people want to read `ls`. */
function shownCommand(argv: readonly string[]): string {
  const [program = '', flag, script] = argv;
  const isScript = argv.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(program) && (flag === '-c' || flag === '-lc');
  return isScript && script !== undefined ? script : quoteArgv(argv);
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
