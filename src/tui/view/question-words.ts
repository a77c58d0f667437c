import type { Action, PatchChange } from '../../base/action.ts';
import type { Ask } from '../../base/event.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { diffRows } from '../../text/diff-rows.ts';
import { markedLine, markedSpans } from '../../text/marked-spans.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { spanLines } from '../../text/span-lines.ts';

/** An action as a question shows it. No character of it is hidden. */
export interface QuestionWords {
  readonly title: string;
  /** Lines of the action. */
  readonly body: readonly Line[];
  /** Whether the action has more than was asked for. */
  readonly isCut: boolean;
}

/** Limits and means of the wording of a question. */
export interface WordingOptions {
  /** Lines and characters of the action that are wanted. */
  readonly most: { readonly lines: number; readonly chars: number };
  /** Returns the change of a file as a unified diff. */
  diffOf(change: PatchChange): string;
}

/** Returns the words of a question. */
export function questionWords(ask: Ask, options: WordingOptions): QuestionWords {
  return WORDS[ask.action.kind](ask, options);
}

type Wording = (ask: Ask, options: WordingOptions) => QuestionWords;

/** Returns the wording of actions whose description is exact. */
const described =
  (title: (server: string) => string): Wording =>
  (ask, options) => ({
    title: title('server' in ask.action ? ask.action.server.replace(/\s+/g, ' ') : ''),
    ...bodyOf(ask.shown, options),
  });

const WORDS: Readonly<Record<Action['kind'], Wording>> = {
  command: commandWords,
  search: described(() => 'Search the web with this command, outside the sandbox?'),
  terminal_input: inputWords,
  patch: patchWords,
  read: described(() => 'Let the model read this file?'),
  mcp: described((server) => `Call this tool of the MCP server "${server}"?`),
  mcp_elicitation: described((server) => `The MCP server "${server}" asks. Answer it?`),
  mcp_sampling: described((server) => `Let the model write a message for the MCP server "${server}"?`),
  own: described(() => 'Call this tool?'),
  plan: described(() => 'Accept this plan?'),
};

const where = ({ sandboxed }: Ask) => (sandboxed ? 'in the sandbox' : 'outside the sandbox');

function bodyOf(text: string, { most }: WordingOptions): Pick<QuestionWords, 'body' | 'isCut'> {
  const lines = spanLines(markedSpans(text.slice(0, most.chars)));
  return { body: lines.slice(0, most.lines), isCut: text.length > most.chars || lines.length > most.lines };
}

/** Names of shells that a title can show without a doubt. */
const PLAIN_NAME = /^[\w./+-]+$/;

function commandWords(ask: Ask, options: WordingOptions): QuestionWords {
  const argv = ask.action.kind === 'command' ? ask.action.argv : ask.argv;
  const [program = '', option = '', script] = argv;
  const isScript = argv.length === 3 && (option === '-c' || option === '-lc') && PLAIN_NAME.test(program);
  if (!isScript || script === undefined)
    return { title: `Run this command ${where(ask)}?`, ...bodyOf(quoteArgv(argv), options) };
  return { title: `Run this with ${program} ${option}, ${where(ask)}?`, ...bodyOf(script, options) };
}

function inputWords(ask: Ask, { most }: WordingOptions): QuestionWords {
  if (ask.action.kind !== 'terminal_input') return { title: '', body: [], isCut: false };
  const { terminalId, chars } = ask.action;
  return {
    title: `Type this into terminal ${terminalId}, which runs ${where(ask)}?`,
    // A line feed is a key here.
    body: [markedLine(chars.slice(0, most.chars))],
    isCut: chars.length > most.chars,
  };
}

function patchWords(ask: Ask, { most, diffOf }: WordingOptions): QuestionWords {
  const changes = ask.action.kind === 'patch' ? ask.action.changes : [];
  const body: Line[] = [];
  let isCut = false;
  for (const change of changes) {
    if (body.length >= most.lines) isCut = true;
    else isCut = addChange(change, diffOf(change), body, most.lines) || isCut;
  }
  return { title: 'Apply this patch?', body, isCut };
}

const CHANGES: Readonly<Record<PatchChange['type'], string>> = { add: 'adds', update: 'changes', delete: 'deletes' };
const MUTED: SpanStyle = { color: 'muted' };
const DIFF_STYLES = {
  same: { sign: ' ', style: MUTED },
  added: { sign: '+', style: { color: 'added' } },
  removed: { sign: '-', style: { color: 'removed' } },
  gap: { sign: '', style: MUTED },
  note: { sign: '', style: MUTED },
} as const;

/** Adds the lines of a change, as far as there is room. Reports whether some of them found none. */
function addChange(change: PatchChange, diff: string, body: Line[], most: number): boolean {
  const names = quoteArgv(change.to === undefined ? [change.path] : [change.path, change.to]);
  const loses = change.destroys ? ', which git could not restore' : '';
  body.push([span(`${CHANGES[change.type]} `, MUTED), ...markedLine(names, { bold: true }), span(loses, MUTED)]);
  const all = diffRows(diff);
  const rows = all.slice(0, Math.max(0, most - body.length));
  const digits = Math.max(1, ...rows.map(({ number }) => String(number).length));
  for (const { kind, number, text } of rows) {
    const { sign, style } = DIFF_STYLES[kind];
    const label = sign === '' ? '' : String(number);
    body.push([span(`${label.padStart(digits)} ${sign}`, style), ...markedLine(text, style)]);
  }
  return rows.length < all.length;
}
