import type { ToldItem, ToldTurn } from '../../app/threads/tell-thread.ts';
import type { FileChangeItem, ThreadItem } from '../../base/event.ts';
import { shownCommand } from '../../shell/shown-command.ts';

/** A part of a thread for people, before it is a text for a terminal or Markdown. */
export type ToldBlock =
  | { readonly kind: 'input'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | ToldStep;

/** A command, a patch or another call. */
export interface ToldStep {
  readonly kind: 'step';
  /** One or more lines. */
  readonly title: string;
  readonly body: string;
  /** Language of the body, for Markdown. */
  readonly language: '' | 'diff';
  /** Outcome. Empty if there is nothing to say. */
  readonly end: string;
  readonly failed: boolean;
}

/** Lines of a body at each end that are shown when it is cut. */
const END_LINES = 6;

/** Returns the block of an item. Nothing is cut when it is shown in full. */
export function toldBlock(told: ToldItem, turn: ToldTurn['turn'], full: boolean): ToldBlock {
  const block = blockOf(told, turn, full);
  return full || block.kind !== 'step' ? block : { ...block, body: cutLines(block.body) };
}

function blockOf({ item, call }: ToldItem, turn: ToldTurn['turn'], full: boolean): ToldBlock {
  switch (item.type) {
    case 'user_message':
      return { kind: 'input', text: item.images === 0 ? item.text : `[images: ${item.images}]\n${item.text}` };
    case 'agent_message':
      return { kind: 'text', text: item.text };
    case 'reasoning':
      return { kind: 'reasoning', text: item.text };
    case 'command':
      return commandStep(item, full ? call : null);
    case 'file_change':
      return patchStep(item, full ? call : null);
    case 'web_search':
      return step(`web search: ${item.query}`, '', STATUS_ENDS[item.status]);
    case 'plan': {
      const rows = item.steps.map((one) => `${MARKS[one.status]} ${one.step}`);
      return step(`plan${item.explanation === null ? '' : `: ${item.explanation}`}`, rows.join('\n'), '');
    }
    case 'tool_call':
      return callStep(item, full ? call : null, turn);
  }
}

const MARKS = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const;
const STATUS_ENDS = { running: 'no end in the log', completed: '', failed: 'failed', declined: 'not allowed' } as const;

function step(title: string, body: string, end: string, more: Partial<ToldStep> = {}): ToldStep {
  return { kind: 'step', title, body, language: '', end, failed: end !== '', ...more };
}

type Of<T extends ThreadItem['type']> = Extract<ThreadItem, { type: T }>;

function commandStep(item: Of<'command'>, call: ToldItem['call']): ToldStep {
  const { exitCode, durationMs, status } = item;
  const time = durationMs === null ? '' : ` in ${(durationMs / 1000).toFixed(1)}s`;
  const end = exitCode === null ? STATUS_ENDS[status] : `exit ${exitCode}${time}`;
  // The log has a long output only as far as the model read it.
  const body = isCut(item.output) && call?.output != null ? call.output : item.output;
  return step(`$ ${shownCommand(item.argv)}`, body, end, { failed: status !== 'completed' });
}

function patchStep({ changes, status }: FileChangeItem, call: ToldItem['call']): ToldStep {
  const title = changes.map(({ kind, path, to }) => `${kind} ${path}${to === undefined ? '' : ` -> ${to}`}`).join('\n');
  const isWhole = changes.every(({ diff }) => diff !== '' && !isCut(diff));
  const body = isWhole || call === null ? changes.map(({ diff }) => diff.trimEnd()).join('\n') : call.arguments;
  return step(title, body, status === 'failed' ? 'not applied' : STATUS_ENDS[status], { language: 'diff' });
}

function callStep(item: Of<'tool_call'>, call: ToldItem['call'], turn: ToldTurn['turn']): ToldStep {
  const { name, namespace, status } = item;
  const { arguments: input, output } = call ?? item;
  const open = turn?.status === 'suspended' ? 'suspended: it waits for an answer' : STATUS_ENDS.running;
  const end = status === 'running' ? (turn?.status === 'running' ? 'running' : open) : STATUS_ENDS[status];
  const title = namespace === undefined ? name : `${namespace}.${name}`;
  return step(title, output === null ? input : `${input}\n\n${output}`, end);
}

/** Reports whether the log has a text without its middle. */
function isCut(text: string): boolean {
  return /…\d+ chars truncated…/.test(text);
}

function cutLines(text: string): string {
  const lines = text.trimEnd().split('\n');
  const hidden = lines.length - 2 * END_LINES;
  if (hidden <= 1) return text;
  return [...lines.slice(0, END_LINES), `… ${hidden} more lines (--full shows them)`, ...lines.slice(-END_LINES)].join(
    '\n',
  );
}
