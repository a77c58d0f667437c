import type { PatchChange } from '../../base/action.ts';
import type { Ask } from '../../base/event.ts';
import { breakLine } from '../../text/break-line.ts';
import { markedLine } from '../../text/marked-spans.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { choiceRows } from './choice-rows.ts';
import { type QuestionWords, questionWords } from './question-words.ts';
import { cutRow } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

export interface QuestionOptions extends Pick<ViewOptions, 'columns' | 'unicode'> {
  /** Place among the questions that wait, from 1, and their number. */
  readonly position: number;
  readonly total: number;
  /** Returns the change of a file as a unified diff. */
  diffOf(change: PatchChange): string;
}

/**
 * Returns all rows of a question, for the pager: the action to its last character, where it would run, and why the user is
 * asked. Each line of the action begins with a blank gutter, and each further row of the line with a sign, so that different
 * actions look different.
 */
export function questionRows(ask: Ask, options: QuestionOptions): Line[] {
  const words = questionWords(ask, { most: { lines: Infinity, chars: Infinity }, diffOf: options.diffOf });
  return [...titleRows(words, options), ...bodyRows(words.body, options), ...factRows(ask, options)];
}

export interface QuestionViewOptions extends QuestionOptions {
  readonly maxRows: number;
  /** Number of the scope that is chosen with the arrows. Null while the question does not have the keys. */
  readonly chosen: number | null;
  /** Whether the end of the action was shown in the pager. */
  readonly wasSeen: boolean;
}

/** A question above the composer. */
export interface QuestionView {
  readonly rows: Line[];
  /** Whether a yes is possible: the action was shown to its end, here or in the pager. */
  readonly canApprove: boolean;
}

/** Returns a question in at most `maxRows` rows. Without room for all, the action is cut first, and the pager has its end. */
export function questionView(ask: Ask, options: QuestionViewOptions): QuestionView {
  const { columns, maxRows, wasSeen, chosen } = options;
  const most = { lines: Math.max(1, maxRows), chars: Math.max(1, maxRows) * Math.max(1, columns) };
  const words = questionWords(ask, { most, diffOf: options.diffOf });
  const title = titleRows(words, options);
  const facts = factRows(ask, options);
  const body = bodyRows(words.body, options);
  const choices = (canApprove: boolean) => choiceRows(ask, { chosen, canApprove, isCut: !canApprove }, options);
  const room = maxRows - title.length - facts.length - choices(true).length;
  const isCut = words.isCut || body.length > room;
  const canApprove = !isCut || wasSeen;
  const shown = isCut ? body.slice(0, Math.max(0, room - 1)) : body;
  const more = [span(`${signsOf(options).more} v shows all of it`, { bold: true })];
  const note = isCut ? [cutRow(more, Math.max(1, columns))] : [];
  const answers = choices(canApprove);
  // Keys that do not fit are left out from the end. With a yes the rows before the keys are scopes, of which one is chosen.
  if (!canApprove && answers.length > maxRows) return { rows: answers.slice(0, Math.max(0, maxRows)), canApprove };
  const rows = [...title, ...shown, ...note, ...facts, ...answers];
  // Without room for all, the last rows say what can be answered.
  return { rows: rows.slice(Math.max(0, rows.length - Math.max(0, maxRows))), canApprove };
}

const MUTED: SpanStyle = { color: 'muted' };

function titleRows({ title }: QuestionWords, { columns, position, total }: QuestionOptions): Line[] {
  const place = total > 1 ? `${position} of ${total}: ` : '';
  return wrapSpans(markedLine(`${place}${title}`, { bold: true }), Math.max(1, columns));
}

function bodyRows(body: readonly Line[], { columns, unicode }: QuestionOptions): Line[] {
  const gutter = Math.min(2, Math.max(0, columns - 2));
  const [first, rest] = ['  ', unicode ? '↳ ' : '> '].map((sign) => span(sign.slice(0, gutter), MUTED));
  return body.flatMap((line) => breakLine(line, columns, first ? [first] : [], rest ? [rest] : []));
}

function factRows({ action, cwd, reason }: Ask, { columns }: QuestionOptions): Line[] {
  const claim = 'justification' in action ? (action.justification ?? '') : '';
  const words = claim !== '' && reason.includes(claim) ? ' (words of the model)' : '';
  const repair = action.kind === 'command' ? action.repair : undefined;
  const facts = [
    ...(reason === '' ? [] : [`why: ${reason}${words}`]),
    ...(repair ? [`repaired: ${repair.title}`] : []),
  ];
  return [
    ...breakLine([span('in ', MUTED), ...markedLine(cwd, MUTED)], columns),
    ...facts.flatMap((fact) => wrapSpans(markedLine(fact, MUTED), Math.max(1, columns), { hanging: 2 })),
  ];
}
