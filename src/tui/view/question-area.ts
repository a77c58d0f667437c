import { gitDiff } from '../../patch/git-diff.ts';
import { type Line, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { composerRows } from '../composer/composer-rows.ts';
import type { QuestionState, TuiModel } from '../model.ts';
import type { Caret } from '../screen/frame.ts';
import { type QuestionOptions, type QuestionView, questionRows, questionView } from './question.ts';

/** The rows of the first question, and the caret if words for a no are being typed. */
export interface QuestionArea extends QuestionView {
  readonly caret: Caret | null;
}

/** Returns the rows of the first question in at most `most` rows. Undefined if there is no question. */
export function questionArea(model: TuiModel, most: number): QuestionArea | undefined {
  const [question] = model.questions;
  if (question === undefined) return undefined;
  const { ask, isSeen, hasFocus, selected, refusal } = question;
  const options = optionsOf(model.size.columns, model.look.unicode, model.questions.length);
  const answer = refusal === null ? undefined : refusalRows(refusal, model.size.columns);
  const chosen = hasFocus && refusal === null ? selected : null;
  const view = questionView(ask, { ...options, maxRows: most - (answer?.rows.length ?? 0), wasSeen: isSeen, chosen });
  if (answer === undefined) return { ...view, caret: null };
  // The last row says how to get to the question, which has the keys already.
  const shown = view.rows.slice(0, -1);
  const caret = { ...answer.caret, row: answer.caret.row + shown.length };
  return { ...view, rows: [...shown, ...answer.rows], caret };
}

/** Returns the action of a question to its end. */
export function wholeQuestion({ ask }: Pick<QuestionState, 'ask'>, columns: number, unicode: boolean): Line[] {
  return questionRows(ask, optionsOf(columns, unicode, 1));
}

const optionsOf = (columns: number, unicode: boolean, total: number): QuestionOptions => ({
  columns,
  unicode,
  position: 1,
  total,
  diffOf: ({ path, to, before, after }) => gitDiff({ path, ...(to === undefined ? {} : { to }), before, after }),
});

const REFUSAL = 'no: ';

function refusalRows(refusal: NonNullable<QuestionState['refusal']>, columns: number) {
  const { rows, caret } = composerRows(refusal, Math.max(1, columns - REFUSAL.length), 2);
  const typed = rows.map(
    (row, index): Line => [span(index === 0 ? REFUSAL : ' '.repeat(REFUSAL.length), { bold: true }), ...row],
  );
  const hint = wrapSpans(
    [span('Enter says no, with these words for the model; Esc goes back', { color: 'muted' })],
    columns,
  );
  return { rows: [...typed, ...hint], caret: { row: caret.row, column: caret.column + REFUSAL.length } };
}
