import { expandTabs } from '../../text/cells.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { foldNote } from './fold-note.ts';
import { proseWidth, signsOf, type ViewOptions } from './view-options.ts';

const MARK: SpanStyle = { bold: true, color: 'accent' };
const MOST_LINES = 40;

/** Input of the user. `steered`: it came while a turn was running. */
export interface UserEntry {
  readonly kind: 'user';
  readonly text: string;
  readonly images: number;
  readonly how: 'sent' | 'steered';
}

/** Returns the rows of input: a mark, the text wrapped between words, and a word about input that came during the work. */
export function userRows({ text, images, how }: UserEntry, options: ViewOptions): Line[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const notes = [
    ...(images === 0 ? [] : [images === 1 ? '[1 image]' : `[${images} images]`]),
    ...(how === 'steered' ? ['(steered)'] : []),
  ].join(' ');
  const shown = expandTabs(visible(lines.slice(0, MOST_LINES).join('\n')));
  const spans = [
    span(shown.trimEnd()),
    ...(notes === '' ? [] : [span(`${shown === '' ? '' : ' '}${notes}`, { color: 'muted' })]),
  ];
  const mark = span(`${signsOf(options).user} `, MARK);
  const rows = wrapSpans(spans, proseWidth(options), { indent: [mark], hanging: 2 });
  return lines.length > MOST_LINES ? [...rows, foldNote(lines.length - MOST_LINES, 'lines', 'Ctrl-T', options)] : rows;
}
