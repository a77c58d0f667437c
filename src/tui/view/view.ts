import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { cutLine, wrapSpans } from '../../text/wrap.ts';
import { composerRows } from '../composer/composer-rows.ts';
import type { TuiModel } from '../model.ts';
import { pagerCaret, pagerRows } from '../pager/pager-rows.ts';
import type { Caret, ScreenFrame, Size } from '../screen/frame.ts';
import { entryRows } from './entry.ts';
import { listRows } from './list-rows.ts';
import { livePlan } from './live-plan.ts';
import { viewOptions } from './model-options.ts';
import { openItemRows } from './open-item-rows.ts';
import { questionArea } from './question-area.ts';
import { type StatusData, statusLine, workLine } from './status-line.ts';
import { THEMES, themed } from './themes.ts';

/** A frame, and the number of entries of the outbox that it commits. */
export interface DrawnView {
  readonly frame: ScreenFrame;
  readonly entries: number;
}

/** Returns the frame of a model. A pager takes the whole screen, and commits wait for its end. */
export function view(model: TuiModel): DrawnView {
  const { size, pager } = model;
  const theme = { ...THEMES, ...model.look.themes }[model.look.theme] ?? {};
  const paint = (rows: readonly Line[]) => rows.map((row) => themed(row, theme));
  if (pager !== null) {
    // A wide character does not fit into one column.
    const rows = pagerRows(pager.pager, size).map((row) => cutLine(row, size.columns));
    return { frame: { kind: 'page', rows: paint(rows), caret: pagerCaret(pager.pager, size) }, entries: 0 };
  }
  const entries = readyEntries(model);
  const commit = entryRows(model.lastEntry, model.outbox.slice(0, entries), viewOptions(model));
  const { rows, caret } = model.stage === 'leaving' ? { rows: [], caret: null } : liveArea(model, size);
  return { frame: { kind: 'inline', commit: paint(commit), live: paint(rows), caret }, entries };
}

/** Returns how many entries can be committed. Markdown waits for its renderer, since a committed row is never drawn again. */
function readyEntries({ outbox, look, stage }: TuiModel): number {
  if (look.renderBlock !== undefined || stage === 'leaving') return outbox.length;
  const first = outbox.findIndex(
    (entry) => entry.kind === 'markdown' || (entry.kind === 'item' && entry.item.type === 'agent_message'),
  );
  return first < 0 ? outbox.length : first;
}

/** Most rows of the live region. */
const MOST_ROWS = 16;
const MOST_DRAFT_ROWS = 8;
const MOST_LIST_ROWS = 9;

/** Returns the number of rows that the live region may take. */
const liveBudget = ({ rows }: Size): number => Math.max(1, Math.min(rows - 2, MOST_ROWS));

/** Returns the rows that a question may take: those that the draft and the status leave. */
export const questionRoom = (model: TuiModel): number =>
  Math.max(1, liveBudget(model.size) - draftRows(model, MOST_DRAFT_ROWS).rows.length - 1);

/** Returns the rows below the scrollback. The draft and the status come first, and the open items get the rest. */
function liveArea(model: TuiModel, size: Size): { readonly rows: readonly Line[]; readonly caret: Caret } {
  const { columns } = size;
  const budget = liveBudget(size);
  const options = viewOptions(model);
  const draft = draftRows(model, Math.min(MOST_DRAFT_ROWS, budget));
  let left = budget - draft.rows.length;
  const take = (make: (most: number) => readonly Line[]): readonly Line[] => {
    const rows = left > 0 ? make(left).slice(0, left) : [];
    left -= rows.length;
    return rows;
  };
  const status = take(() => [statusLine(statusOf(model), options)]);
  const below = take((most) => belowDraft(model, Math.min(most, MOST_LIST_ROWS)));
  const asked = left > 0 ? questionArea(model, left) : undefined;
  const question = take(() => asked?.rows ?? []);
  const working = take(() => workingRows(model));
  const waiting = take((most) => waitingRows(model, Math.min(most, 4)));
  const plan = take((most) => (model.isPlanLive && model.plan ? livePlan(model.plan, options, Math.min(most, 6)) : []));
  const open = take((most) => openItemRows(model, options, most - 1));
  const gap = take(() => (open.length + plan.length > 0 ? [[]] : []));
  const lead = take(() => (model.lastEntry === null && model.outbox.length === 0 ? [] : [[]]));
  const above = [...lead, ...open, ...plan, ...gap, ...working, ...waiting, ...question];
  const caret =
    asked?.caret && asked.caret.row < question.length
      ? { row: above.length - question.length + asked.caret.row, column: asked.caret.column }
      : { row: above.length + draft.caret.row, column: draft.caret.column };
  return {
    rows: [...above, ...draft.rows, ...below, ...status].map((row) => cutLine(row, columns)),
    // A terminal of two columns has no room for more than the mark before the draft.
    caret: { row: caret.row, column: Math.min(caret.column, columns - 1) },
  };
}

const MARK: Line = [span('› ', { color: 'accent', bold: true })];
const QUIET_MARK: Line = [span('› ', { color: 'muted' })];

function draftRows(model: TuiModel, most: number): { readonly rows: Line[]; readonly caret: Caret } {
  const isQuiet = model.questions[0]?.hasFocus === true || model.list?.kind === 'choose';
  const shown = composerRows(model.composer, Math.max(1, model.size.columns - 2), most);
  const rows = shown.rows.map(
    (row, index): Line => [...(index > 0 ? [span('  ')] : isQuiet ? QUIET_MARK : MARK), ...row],
  );
  return { rows, caret: { row: shown.caret.row, column: shown.caret.column + 2 } };
}

const hintRows = (hint: string, columns: number): Line[] =>
  wrapSpans([span(visible(hint), { color: 'muted' })], columns);

function belowDraft(model: TuiModel, most: number): Line[] {
  const hint = model.hint === null ? [] : hintRows(model.hint, model.size.columns);
  if (model.list === null) return hint.slice(0, most);
  const rows = listRows(model.list, model.size.columns, Math.max(1, most - hint.length));
  return [...rows, ...hint].slice(0, most);
}

function workingRows({ turn, now, questions, look, size }: TuiModel): Line[] {
  if (turn === null || questions.length > 0) return [];
  const note = turn.isInterrupted ? 'interrupting' : (turn.note ?? '');
  return [workLine(Math.max(0, now - turn.startedAt), note, { columns: size.columns, unicode: look.unicode })];
}

/** Returns the inputs that wait, each on one row: for the thread, for the next request, and for the turns after this one. */
function waitingRows({ sending, steered, later, isHeld, delayed, turn, size }: TuiModel, most: number): Line[] {
  const oneLine = (text: string) => visible(text).replace(/\s+/g, ' ').trim();
  const then = isHeld ? '  after your next turn' : turn === null ? '  waits' : '  after this turn';
  const texts = [
    ...sending.map((text) => [`› ${oneLine(text)}`, ''] as const),
    ...steered.map(({ content }) => {
      const text = content.flatMap((part) => ('text' in part ? [part.text] : ['[image]'])).join(' ');
      return [`› ${oneLine(text)}`, turn === null ? '  waits' : '  with the next request'] as const;
    }),
    ...later.map(({ text }) => [`› ${oneLine(text)}`, then] as const),
    ...delayed.map((line) => [`/${oneLine(line)}`, '  after this turn'] as const),
  ];
  const shown = texts.slice(0, most).map(([text, when]): Line => {
    const room = Math.max(4, size.columns - when.length);
    return [...cutLine([span(text, { color: 'muted' })], room), span(when, { color: 'muted', italic: true })];
  });
  const hidden = texts.length - shown.length;
  return hidden === 0
    ? shown
    : [...shown.slice(0, -1), [span(`… ${hidden + 1} more wait, Alt-Up takes back the last`, { color: 'muted' })]];
}

function statusOf({ settings, place, steered, later }: TuiModel): StatusData {
  return {
    ...settings,
    model: settings.model === '' ? 'starting' : settings.model,
    isUnguarded: settings.sandbox === 'danger-full-access',
    branch: place.branch,
    // Figures come with the first request.
    tokens: settings.tokens > 0 ? settings.tokens : null,
    cost: settings.tokens > 0 ? settings.cost : null,
    waiting: steered.length + later.length,
  };
}
