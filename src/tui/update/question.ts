import type { Answer, Ask, GivenAnswer } from '../../base/event.ts';
import { composerText, EMPTY_COMPOSER, isComposerEmpty } from '../composer/composer.ts';
import { step, type UpdateStep } from '../effect.ts';
import type { Key } from '../input/input-event.ts';
import type { QuestionState, TuiModel } from '../model.ts';
import { editOf, scriptOf } from './edit-command.ts';
import type { KeyAction } from './key-bindings.ts';
import { say } from './say.ts';

/** A key within this time before a question came was meant for the draft. */
const TYPING_MS = 1000;
/** Keys of this time after a question came were typed before it was read. */
const BLIND_MS = 400;

/** Returns the model with a question, which has the focus only if the user is not typing. */
export function openQuestion(model: TuiModel, ask: Ask): UpdateStep {
  const isFirst = model.questions.length === 0;
  const question: QuestionState = {
    ask,
    openedAt: model.now,
    hasFocus: isFirst && isFree(model),
    isSeen: false,
    selected: -1,
    refusal: null,
  };
  // A pager would hide the question.
  const next = { ...model, questions: [...model.questions, question], pager: null };
  return step(next, { type: 'notify', text: 'A question waits for you.' });
}

const isFree = (model: TuiModel) =>
  isComposerEmpty(model.composer) && model.list === null && model.now - model.lastKeyAt >= TYPING_MS;

/** Returns the model after a question was answered, here or elsewhere. The next one begins its own blind time. */
export function answered(model: TuiModel, askId: string, given: GivenAnswer): TuiModel {
  const question = model.questions.find(({ ask }) => ask.id === askId);
  if (question === undefined) return model;
  const [first, ...rest] = model.questions.filter(({ ask }) => ask.id !== askId);
  const next = first && { ...first, openedAt: model.now, hasFocus: isFree(model) };
  const questions = next === undefined ? [] : [next, ...rest];
  return say(withQuestions(model, questions), { kind: 'answered', ask: question.ask, given });
}

/** Reports whether there is a question that was shown long enough to be read. */
export function isReadable({ questions, now }: TuiModel): boolean {
  const [question] = questions;
  return question !== undefined && now - question.openedAt >= BLIND_MS;
}

/** Reports whether keys go to the question now. */
export const takesKeys = (model: TuiModel): boolean => isReadable(model) && model.questions[0]?.hasFocus === true;

export const focusQuestion = (model: TuiModel, hasFocus: boolean): TuiModel =>
  changeFirst(model, (question) => ({ ...question, hasFocus, refusal: hasFocus ? question.refusal : null }));

/** Returns the model without a focus on the question if there is a draft, unless words for a no are being typed. */
export const typing = (model: TuiModel): TuiModel =>
  isComposerEmpty(model.composer) || model.questions[0]?.refusal != null ? model : focusQuestion(model, false);

/** Returns the model with other questions. Words for a no to a question that is gone are kept among the prompts. */
export function withQuestions(model: TuiModel, questions: readonly QuestionState[]): TuiModel {
  const gone = model.questions.filter(({ ask }) => !questions.some((kept) => kept.ask.id === ask.id));
  const words = gone.map(({ refusal }) => (refusal === null ? '' : composerText(refusal).trim()));
  return { ...model, questions, prompts: [...words.filter((text) => text !== ''), ...model.prompts] };
}

/** Marks the action of a question as seen to its end. */
export const markSeen = (model: TuiModel, askId: string): TuiModel => ({
  ...model,
  questions: model.questions.map((question) => (question.ask.id === askId ? { ...question, isSeen: true } : question)),
});

function changeFirst(model: TuiModel, change: (question: QuestionState) => QuestionState): TuiModel {
  const [first, ...rest] = model.questions;
  return first === undefined ? model : { ...model, questions: [change(first), ...rest] };
}

/**
 * Returns the step for a key while the question has the focus. Undefined: the key is not an answer, so it belongs to the
 * draft.
 */
export function answerKey(
  model: TuiModel,
  key: Key,
  action: KeyAction | undefined,
  canApprove: boolean,
): UpdateStep | undefined {
  const [question] = model.questions;
  if (question === undefined) return undefined;
  if (question.refusal !== null) return refusalKey(model, question, action);
  if (action === 'up' || action === 'down') return move(model, question, action === 'up' ? -1 : 1);
  if (action === 'back') return step(focusQuestion(model, false));
  if (action === 'send') return chosen(model, question, canApprove);
  if (key.name !== 'text') return undefined;
  const letter = LETTERS.get(key.text.toLowerCase());
  return letter?.(model, question, canApprove);
}

type Letter = (model: TuiModel, question: QuestionState, canApprove: boolean) => UpdateStep;

/** A map, since a key may type any text, also the name of a member that every object has. */
const LETTERS: ReadonlyMap<string, Letter> = new Map(
  Object.entries<Letter>({
    y: (model, question, canApprove) => approve(model, question, 0, canApprove),
    n: (model) => step(changeFirst(model, (question) => ({ ...question, refusal: EMPTY_COMPOSER }))),
    e: (model, { ask }) => {
      const text = scriptOf(ask.action);
      if (text === undefined)
        return step({ ...model, hint: 'Only commands can be edited here. Say no with a word instead.' });
      return step(model, { type: 'edit', text, askId: ask.id });
    },
    v: (model, { ask }) => step(model, { type: 'perform', command: 'question', task: { what: 'view', value: ask.id } }),
  }),
);

function move(model: TuiModel, question: QuestionState, by: number): UpdateStep {
  const count = Math.max(1, question.ask.scopes.length);
  const from = question.selected < 0 && by < 0 ? 0 : question.selected;
  return step(changeFirst(model, (first) => ({ ...first, selected: (from + by + count) % count })));
}

/** Returns the step for Enter on the marked row. No row is marked at first, and then Enter decides nothing. */
function chosen(model: TuiModel, question: QuestionState, canApprove: boolean): UpdateStep {
  if (question.selected < 0)
    return step({ ...model, hint: 'Enter decides nothing yet: choose a row with the arrows first.' });
  return approve(model, question, question.selected, canApprove);
}

function approve(model: TuiModel, { ask }: QuestionState, index: number, canApprove: boolean): UpdateStep {
  if (!canApprove)
    return step({ ...model, hint: 'Press v and read it to its end first: it is longer than the screen.' });
  const scope = ask.scopes[index]?.scope;
  return give(model, ask, scope === undefined ? 'approved' : { type: 'approve', scope });
}

function refusalKey(model: TuiModel, question: QuestionState, action: KeyAction | undefined): UpdateStep | undefined {
  if (action === 'back') return stopRefusing(model, question);
  if (action !== 'send' || question.refusal === null) return undefined;
  const words = composerText(question.refusal).trim();
  return give(model, question.ask, words === '' ? { type: 'decline' } : { type: 'decline', message: words });
}

/** Goes back to the choice of an answer. Words that were typed are not lost. */
function stopRefusing(model: TuiModel, { refusal }: QuestionState): UpdateStep {
  const back = changeFirst(model, (first) => ({ ...first, refusal: null }));
  const words = refusal === null ? '' : composerText(refusal);
  if (words.trim() === '') return step(back);
  return step({ ...back, prompts: [words, ...model.prompts], hint: 'The words are put aside: Up brings them back.' });
}

/** Returns the step with an answer. The question stays until the thread has the answer. */
const give = (model: TuiModel, ask: Ask, answer: Answer): UpdateStep =>
  step(focusQuestion(model, false), { type: 'answer', askId: ask.id, answer });

/** Returns the answer with an edited script in place of the one in question. */
export const editedAnswer = ({ action }: Ask, script: string): Answer => ({
  type: 'edit',
  action: editOf(action, script),
});

/** Returns the model with other words for a no. */
export const setRefusal = (model: TuiModel, refusal: QuestionState['refusal']): TuiModel =>
  changeFirst(model, (question) => ({ ...question, refusal }));
