import type { Action } from '../../base/action.ts';
import type { Ask } from '../../base/event.ts';
import { visibleLine } from '../../base/visible-text.ts';
import type { Style } from '../print/style.ts';
import { actionText } from './action-text.ts';
import { type AskChoice, choicesFor } from './choices.ts';
import { breakText, wrapWords } from './wrap-text.ts';

export interface QuestionFormat {
  readonly columns: number;
  readonly rows: number;
  /** Number of questions that wait for this one. */
  readonly waiting: number;
  readonly style: Style;
  /** Whether to show the action to its end, however long it is. */
  readonly whole: boolean;
}

/** A question as it is shown, and the answers to it. */
export interface ShownQuestion {
  readonly text: string;
  /** Line before the answer. */
  readonly prompt: string;
  readonly choices: readonly AskChoice[];
}

const INDENT = '  ';
const FEWEST_COLUMNS = 20;
const FEWEST_BODY_ROWS = 3;

/**
 * Returns a question for the terminal. The action is indented, so that no line of it looks like a line of the question.
 * An action that does not fit on the screen is cut.
 */
export function questionText(ask: Ask, format: QuestionFormat): ShownQuestion {
  const { style, whole } = format;
  const columns = Math.max(FEWEST_COLUMNS, format.columns);
  const { title, body } = actionText(ask);
  const above = wrapWords(title, columns).map(style.bold);
  const all = breakText(body, columns - INDENT.length);
  const facts = factsAbout(ask).flatMap((fact) => wrapWords(fact, columns));
  const uncut = belowOf(choicesFor(ask, false));
  const room = format.rows - above.length - facts.length - uncut.length - 2;
  const isCut = !whole && all.length > Math.max(FEWEST_BODY_ROWS, room);
  const choices = choicesFor(ask, isCut);
  const shown = isCut ? all.slice(0, Math.max(FEWEST_BODY_ROWS, room - 1)) : all;
  const hidden = all.length - shown.length;
  const rest = isCut ? wrapWords(`(${hidden} more rows: a shows all, then you can say yes)`, columns) : [];
  const rows = [...above, ...shown.map((row) => `${INDENT}${row}`), ...rest.map(style.bold), ...facts];
  return { text: lines([...rows, ...belowOf(choices)]), prompt: promptFor(choices), choices };

  function belowOf(offered: readonly AskChoice[]): string[] {
    const waiting = waitingText(format.waiting);
    return [
      ...offered.flatMap((choice) => choiceRows(choice, columns)),
      ...(waiting === undefined ? [] : wrapWords(waiting, columns)),
    ];
  }
}

function factsAbout({ action, cwd, reason }: Ask): string[] {
  const repair = action.kind === 'command' ? action.repair : undefined;
  return [
    `Folder: ${visibleLine(cwd)}`,
    `Why you are asked${inWhoseWords(action, reason)}: ${reason}`,
    ...(repair ? [`The call was repaired: ${visibleLine(repair.title)}`] : []),
  ];
}

/** Returns a note about words of the model, which may claim anything, also that the user wants it. */
function inWhoseWords(action: Action, reason: string): string {
  const claim = 'justification' in action ? visibleLine(action.justification ?? '') : '';
  if (claim === '' || !reason.includes(claim)) return '';
  return reason === claim ? ', in the words of the model' : ', in part in the words of the model';
}

function choiceRows(choice: AskChoice, columns: number): string[] {
  const [first = '', ...more] = wrapWords(effectOf(choice), columns - 3);
  return [`${choice.key}  ${first}`, ...more.map((row) => `   ${row}`)];
}

const EFFECTS: Readonly<Record<Exclude<AskChoice['type'], 'approve'>, string>> = {
  decline: 'No. Words after it are for the model, as in: n use the other branch',
  edit: 'Edit it first.',
  show: 'Show all of it.',
  help: 'Help.',
};

const effectOf = (choice: AskChoice) => (choice.type === 'approve' ? choice.offered.effect : EFFECTS[choice.type]);

function waitingText(waiting: number): string | undefined {
  if (waiting === 0) return undefined;
  return waiting === 1 ? '1 more waits.' : `${waiting} more wait.`;
}

const promptFor = (choices: readonly AskChoice[]) => `[${choices.map(({ key }) => key).join('')}] `;

const lines = (rows: readonly string[]) => rows.map((row) => `${row}\n`).join('');

/** Returns the help about the answers to a question. */
export function helpText(choices: readonly AskChoice[], columns: number): string {
  const texts = [
    `Type one of ${choices.map(({ key }) => key).join(' ')} and press Enter. Enter alone decides nothing.`,
    'Every line above says what its letter allows. Nothing else is allowed by it.',
    ...(choices.some(({ type }) => type === 'edit')
      ? ['e opens the command in $VISUAL or $EDITOR. The new command is decided about like any other.']
      : []),
    'Ctrl-C says no and interrupts the turn. The end of the input (Ctrl-D) says no.',
    'Several lines that come at once, such as pasted ones, decide nothing.',
  ];
  return lines(texts.flatMap((text) => wrapWords(text, Math.max(FEWEST_COLUMNS, columns))));
}
