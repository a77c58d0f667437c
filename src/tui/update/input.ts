import { isComposerEmpty } from '../composer/composer.ts';
import { isCaretAtEdge } from '../composer/composer-rows.ts';
import { type EditCommand, editComposer } from '../composer/edit-composer.ts';
import { recallNewer, recallOlder } from '../composer/recall.ts';
import { step, type UpdateStep } from '../effect.ts';
import type { InputEvent, Key } from '../input/input-event.ts';
import type { TuiModel } from '../model.ts';
import { questionArea } from '../view/question-area.ts';
import { questionRoom } from '../view/view.ts';
import { type KeyAction, keyName } from './key-bindings.ts';
import { choiceKey, completeKey, completeWord } from './list.ts';
import { pagerKey } from './pager.ts';
import { answerKey, focusQuestion, isReadable, setRefusal, takesKeys, typing } from './question.ts';
import { queueDraft, sendDraft } from './send.ts';
import { pressed } from './stop.ts';

/** Returns the model after input of the user. */
export function takeInput(model: TuiModel, event: InputEvent): UpdateStep {
  if (model.stage === 'leaving') return step(model);
  if (event.type === 'focus') return step({ ...model, focused: event.focused });
  if (event.type === 'reply') return step(model);
  const typed = { ...model, hint: null };
  const next = event.type === 'paste' ? pasted(typed, event.text) : keyed(typed, event.key);
  return { ...next, model: { ...next.model, lastKeyAt: model.now } };
}

/** Returns the step for pasted text, which never answers a question. */
function pasted(model: TuiModel, text: string): UpdateStep {
  if (model.pager !== null) return step(model);
  if (model.list?.kind === 'choose' && !model.list.isAsked) return choiceKey(model, model.list, { type: 'text', text });
  return typeInto(model, { type: 'paste', text });
}

function keyed(model: TuiModel, key: Key): UpdateStep {
  const action = model.keys.get(keyName(key));
  if (model.pager !== null) return pagerKey(model, model.pager, key);
  if (action === 'stop' || action === 'suspend' || action === 'redraw') return pressed(model, action);
  if (model.list?.kind === 'choose' && action !== 'leave' && !(model.list.isAsked && isTyped(key, action)))
    return choiceKey(model, model.list, { type: 'key', key, action });
  const [question] = model.questions;
  if (question === undefined || !question.hasFocus) return draftKey(model, key, action);
  if (takesKeys(model)) {
    const canApprove = questionArea(model, questionRoom(model))?.canApprove ?? false;
    const answer = answerKey(model, key, action, canApprove);
    if (answer !== undefined) return answer;
    if (question.refusal !== null) return refusalKey(model, key, action);
  }
  // The user types: the next keys belong to the draft as well.
  return draftKey(focusQuestion(model, false), key, action);
}

/** Returns the step for a key that edits the words of a no. Keys that are only for the draft do nothing. */
function refusalKey(model: TuiModel, key: Key, action: KeyAction | undefined): UpdateStep {
  if (action === 'new_line') return typeInto(model, { type: 'insert', text: '\n' });
  const edit = action === undefined ? undefined : EDITS[action];
  if (edit !== undefined) return typeInto(model, edit);
  return key.name === 'text' && key.text !== '' ? typeInto(model, { type: 'insert', text: key.text }) : step(model);
}

/** Reports whether a key edits a text. */
const isTyped = (key: Key, action: KeyAction | undefined) =>
  action === undefined ? key.name === 'text' : action === 'new_line' || /^(delete|yank|undo|redo)/.test(action);

function draftKey(model: TuiModel, key: Key, action: KeyAction | undefined): UpdateStep {
  const completed = model.list === null ? undefined : completeKey(model, model.list, action);
  if (completed !== undefined) return completed;
  const own = action === undefined ? undefined : DRAFT_KEYS[action]?.(model);
  if (own !== undefined) return own;
  const edit = action === undefined ? undefined : EDITS[action];
  if (edit !== undefined) return typeInto(model, edit);
  if (key.name !== 'text' || key.text === '') return step(model);
  if (key.text === '?' && isComposerEmpty(model.composer)) return pressed(model, 'keys');
  return typeInto(model, { type: 'insert', text: key.text });
}

/** Keys with a meaning of their own. Undefined: the key edits the draft. */
const DRAFT_KEYS: { readonly [A in KeyAction]?: (model: TuiModel) => UpdateStep | undefined } = {
  send: (model) => sendDraft(model),
  new_line: (model) => typeInto(model, { type: 'insert', text: '\n' }),
  complete: (model) => (isReadable(model) ? step(focusQuestion(model, true)) : queueDraft(model)),
  up: (model) => (isCaretAtEdge(model.composer, 'first', width(model)) ? recall(model, 'older') : undefined),
  down: (model) => {
    if (!isCaretAtEdge(model.composer, 'last', width(model))) return undefined;
    return model.recall === null && isReadable(model) ? step(focusQuestion(model, true)) : recall(model, 'newer');
  },
  leave: (model) =>
    isComposerEmpty(model.composer) ? pressed(model, 'leave') : typeInto(model, { type: 'delete', what: 'right' }),
  ...Object.fromEntries(
    (
      ['back', 'take_back', 'search_history', 'editor', 'image', 'transcript', 'open_folded', 'preset', 'keys'] as const
    ).map((action) => [action, (model: TuiModel) => pressed(model, action)]),
  ),
};

const EDITS: { readonly [A in KeyAction]?: EditCommand } = {
  up: { type: 'move', to: 'up' },
  down: { type: 'move', to: 'down' },
  left: { type: 'move', to: 'left' },
  right: { type: 'move', to: 'right' },
  word_left: { type: 'move', to: 'word_left' },
  word_right: { type: 'move', to: 'word_right' },
  line_start: { type: 'move', to: 'line_start' },
  line_end: { type: 'move', to: 'line_end' },
  start: { type: 'move', to: 'start' },
  end: { type: 'move', to: 'end' },
  delete_left: { type: 'delete', what: 'left' },
  delete_right: { type: 'delete', what: 'right' },
  delete_word_left: { type: 'delete', what: 'word_left' },
  delete_word_right: { type: 'delete', what: 'word_right' },
  delete_line_start: { type: 'delete', what: 'line_start' },
  delete_line_end: { type: 'delete', what: 'line_end' },
  yank: { type: 'yank' },
  yank_older: { type: 'yank_older' },
  undo: { type: 'undo' },
  redo: { type: 'redo' },
};

/** Returns the cells of a row of the draft. The mark before it takes two. */
const width = ({ size }: TuiModel): number => Math.max(1, size.columns - 2);

/** Edits the words of a no while they are being typed, otherwise the draft. */
function typeInto(model: TuiModel, command: EditCommand): UpdateStep {
  const refusal = takesKeys(model) ? model.questions[0]?.refusal : null;
  if (refusal == null) return editDraft(model, command);
  return step(setRefusal(model, editComposer(refusal, command, width(model))));
}

/** Returns the model with a changed draft, which is then saved. */
export function editDraft(model: TuiModel, command: EditCommand): UpdateStep {
  const composer = editComposer(model.composer, command, width(model));
  const edited = typing({ ...model, composer, recall: null });
  const { model: next, effects } = completeWord(edited);
  return step(next, ...effects, { type: 'save_draft' });
}

function recall(model: TuiModel, where: 'older' | 'newer'): UpdateStep {
  const go = where === 'older' ? recallOlder : recallNewer;
  const { state, composer } = go(model.recall ?? undefined, model.composer, model.prompts);
  return step({ ...model, recall: state ?? null, composer, list: null }, { type: 'save_draft' });
}
