import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import type { List } from '../list.ts';
import type { QuestionState, TuiModel } from '../model.ts';
import { wholeQuestion } from '../view/question-area.ts';

/**
 * Returns a function that prints what the live region would show, each thing once: hints, lists, questions, and that the
 * model works. The function reports whether input is awaited.
 */
export function createAnnouncer(print: (lines: readonly Line[]) => void): (model: TuiModel) => boolean {
  let hint: string | null = null;
  let list: readonly unknown[] | null = null;
  let askId: string | null = null;
  let isWorking = false;

  return (model) => {
    if (model.stage === 'leaving') return false;
    const { turn, questions } = model;
    // Each is noted before it is printed.
    const said: Line[] = [];
    if (model.hint !== null && model.hint !== hint) said.push([span(visible(model.hint))]);
    hint = model.hint;
    if (turn !== null && !isWorking) said.push([span(WORKING)]);
    isWorking = turn !== null;
    const rows = rowsToChoose(model.list);
    if (rows !== null && rows !== list) said.push(...listLines(model.list));
    list = rows;
    const [question] = questions;
    if (question !== undefined && question.ask.id !== askId) said.push(...questionLines(model, question));
    askId = question?.ask.id ?? null;
    print(said);
    return model.thread !== null && !model.isOpening && (!isWorking || question !== undefined || rows !== null);
  };
}

const WORKING = 'Working. Ctrl-C interrupts. A line that you type goes to the model with its next request.';

/** Returns the rows of a list that a choice is awaited from. */
const rowsToChoose = (list: List | null) => (list?.kind === 'choose' && !list.isLoading ? list.rows : null);

function listLines(list: List | null): Line[] {
  if (list?.kind !== 'choose') return [];
  const rows = list.rows.map(
    ({ label, detail = '' }, index) => `${index + 1}. ${label}${detail === '' ? '' : `, ${detail}`}`,
  );
  const end = rows.length === 0 ? 'There is nothing to choose. An empty line goes on.' : CHOOSE;
  return [list.title, ...rows, end].map((text) => [span(visible(text).replace(/\s+/g, ' '))]);
}

const CHOOSE = 'Type a number, or an empty line for none.';

/** Rows that are left to the terminal. */
const UNWRAPPED = 100_000;

function questionLines({ look, questions }: TuiModel, question: QuestionState): Line[] {
  const scopes = question.ask.scopes.map(({ effect }, index) => `${index === 0 ? 'y' : index + 1}: ${effect}`);
  const more = questions.length > 1 ? [`${questions.length - 1} more wait after this one.`] : [];
  const answers = [...scopes, 'n: No. Words after it are for the model.', 'Any other line is sent as a message.'];
  return [
    ...wholeQuestion(question, UNWRAPPED, look.unicode),
    ...[...more, ...answers].map((text): Line => [span(visible(text))]),
  ];
}
