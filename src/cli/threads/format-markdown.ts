import type { ToldThread, ToldTurn } from '../../app/threads/tell-thread.ts';
import { printable } from '../../text/visible.ts';
import { threadFacts } from './format-thread.ts';
import { type ToldBlock, type ToldStep, toldBlock } from './told-block.ts';

/** Returns a whole thread as Markdown. Long outputs are cut, unless it is shown in full. */
export function formatMarkdown({ details, turns }: ToldThread, full: boolean): string {
  const facts = threadFacts(details, null).map(([name, value]) => `- ${name}: ${codeSpan(value)}\n`);
  const told = turns.map((turn) => turnText(turn, full));
  const rest = told.length === 0 ? 'The thread has no turns.\n' : told.join('\n');
  return `# Thread ${printable(details.name ?? details.id)}\n\n${facts.join('')}\n${rest}`;
}

function turnText({ turn, items, failure }: ToldTurn, full: boolean): string {
  const time = turn?.startedAt ? `, ${turn.startedAt}` : '';
  const heading = turn
    ? [`## Turn ${turn.number}${time}${turn.status === 'completed' ? '' : ` (${turn.status})`}`]
    : [];
  const blocks = items.map((told) => blockText(toldBlock(told, turn, full)));
  const error = failure === null ? [] : [`**Error:** ${printable(failure)}`];
  return `${[...heading, ...blocks, ...error].join('\n\n')}\n`;
}

function blockText(block: ToldBlock): string {
  if (block.kind === 'text') return printable(block.text).trimEnd();
  if (block.kind === 'reasoning') return quoted(`*Reasoning*\n\n${block.text}`);
  if (block.kind === 'input') return quoted(block.text);
  return stepText(block);
}

function stepText(block: ToldStep): string {
  const title = block.title.split('\n').map(codeSpan).join('\\\n');
  const body = block.body.trim() === '' ? [] : [fenced(printable(block.body).trimEnd(), block.language)];
  return [title, ...body, ...(block.end === '' ? [] : [`*${block.end}*`])].join('\n\n');
}

function quoted(text: string): string {
  const lines = printable(text).trimEnd().split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

function codeSpan(text: string): string {
  const line = printable(text);
  const fence = '`'.repeat(longestTicks(line) + 1);
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Returns a block of code whose fence does not occur in the text. */
function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
}
