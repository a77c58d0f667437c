import type { Event } from '../../base/event.ts';
import { lazy } from '../../base/lazy.ts';
import { ansiSpans } from '../../text/ansi-spans.ts';
import { type ColorDepth, renderLine } from '../../text/render-line.ts';
import { type Line, lineText, type Span } from '../../text/span.ts';
import { spanLines } from '../../text/span-lines.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { formatDiff } from './format-diff.ts';
import type { TerminalRows } from './human.ts';

export interface TerminalLook {
  readonly depth: ColorDepth;
  /** Whether the terminal is known to open links by their texts. */
  readonly links: boolean;
  /** Returns the width of the terminal. */
  columns(): number;
}

export interface LoadedRows extends TerminalRows {
  /**
   * Returns a printer that loads the renderer of messages with the first text, and holds later events back until it is
   * there.
   */
  whenLoaded(print: (event: Event) => void): HeldPrinter;
}

export interface HeldPrinter {
  print(event: Event): void;
  /** Resolves when every event so far is printed. */
  settled(): Promise<void>;
}

/** Returns the rows of a terminal. Markdown is loaded when the first message arrives. */
export function createTerminalRows({ depth, links, columns }: TerminalLook): LoadedRows {
  const load = lazy(() => import('../../markdown/render-markdown.ts'));
  let markdown: Awaited<ReturnType<typeof load>> | undefined;
  const prepare = async () => {
    // A message is shown as plain text rather than not at all.
    markdown = await load().catch(() => undefined);
  };
  const look = () => ({ width: columns(), attributes: depth !== 'none', links: depth !== 'none' && links });
  const written = (lines: readonly Line[]) => lines.map((line) => renderLine(line, depth)).join('\n');
  return {
    whenLoaded: (print) => heldUntil(prepare, print),
    message: (text) =>
      written(markdown ? markdown.renderMarkdown(text, look()) : wrapLines(ansiSpans(text), columns())),
    openMessage() {
      const rows = markdown?.createMarkdownRows();
      return rows && { push: (delta) => written(rows.push(delta, look())), end: () => written(rows.end(look())) };
    },
    patch: (item, format) => written(formatDiff(item, format, columns())),
    wrap: (text) => written(wrapLines(ansiSpans(text), columns())),
  };
}

function heldUntil(load: () => Promise<void>, print: (event: Event) => void): HeldPrinter {
  const held: Event[] = [];
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  const release = () => {
    isLoaded = true;
    for (const event of held.splice(0)) print(event);
  };
  return {
    print(event) {
      // The first text comes after the first request, which loading must not delay.
      if (event.type === 'text.delta' || (event.type === 'item.completed' && event.item.type === 'agent_message'))
        loading ??= load().then(release);
      if (loading === undefined || isLoaded) print(event);
      else held.push(event);
    },
    settled: async () => loading,
  };
}

/** Wraps each line of a text. Its further rows begin below its words. */
function wrapLines(spans: readonly Span[], width: number): Line[] {
  return spanLines(spans).flatMap((line) => {
    const [start = ''] = /^ *(?:\[.\] |> )?/.exec(lineText(line)) ?? [];
    return wrapSpans(line, width, { hanging: start.length });
  });
}

/** Terminals that open links, by the variable that each sets. */
const LINKING: readonly (readonly [name: string, value: RegExp])[] = [
  ['TERM_PROGRAM', /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/i],
  ['TERM', /kitty|ghostty|alacritty|foot/],
  ['VTE_VERSION', /^[5-9]\d{3}|^\d{5}/],
  ['KONSOLE_VERSION', /^2\d{5}/],
  ['WT_SESSION', /./],
];

/** Returns the colours and links that a terminal has, as far as the environment says. */
export function readTerminalLook(isColored: boolean, env: NodeJS.ProcessEnv): Omit<TerminalLook, 'columns'> {
  const { COLORTERM = '', TERM = '', TMUX, STY } = env;
  const isInside = Boolean(TMUX || STY);
  const links = !isInside && LINKING.some(([name, value]) => value.test(env[name] ?? ''));
  if (!isColored) return { depth: 'none', links: false };
  if (/truecolor|24bit/i.test(COLORTERM)) return { depth: 'true', links };
  return { depth: TERM.includes('256color') ? '256' : '16', links };
}
