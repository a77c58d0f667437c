import { cellWidth } from '../../text/cells.ts';
import { type Line, lineText, type SpanStyle, span } from '../../text/span.ts';
import { cutLine } from '../../text/wrap.ts';
import { safeSpan } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

const STYLE: SpanStyle = { color: 'muted', italic: true };
/** As much of a reasoning as its first line can come from. */
const MOST_CHARS = 4000;

/** Returns one row of reasoning: its last heading so far, or its first words. The pager has the rest. */
export function reasoningRows(text: string, options: ViewOptions, which: 'first' | 'last' = 'first'): Line[] {
  const title = reasoningTitle(text, which);
  if (title === '') return [];
  const hint = title.length < text.trim().length && which === 'first' ? ` ${signsOf(options).more} Ctrl-T` : '';
  const width = Math.max(1, options.columns) - cellWidth(hint);
  if (width < 8) return [cutLine([safeSpan(title, STYLE)], Math.max(1, options.columns))];
  const shown = lineText(cutLine([safeSpan(title, STYLE)], width));
  return [[span(shown.trimEnd(), STYLE), ...(hint === '' ? [] : [span(hint, { color: 'muted' })])]];
}

function reasoningTitle(text: string, which: 'first' | 'last'): string {
  const part = which === 'first' ? text.slice(0, MOST_CHARS) : text.slice(-MOST_CHARS);
  const heading = [...part.matchAll(/^\s*\*\*(\S[^\n]*?)\*\*\s*$/gm)].at(which === 'first' ? 0 : -1)?.[1];
  const [line = ''] = part.trim().split('\n');
  return (heading ?? line.replace(/^#+ +/, '').replace(/\*\*/g, '')).trim();
}
