import { composerText, EMPTY_COMPOSER, isComposerEmpty } from '../composer/composer.ts';
import { step, type UpdateStep } from '../effect.ts';
import type { TuiModel } from '../model.ts';
import type { KeyAction } from './key-bindings.ts';
import { closeList } from './list.ts';
import { openChoice } from './open-choice.ts';
import { focusQuestion } from './question.ts';
import { takeBack } from './send.ts';
import { nextPreset, runSlash } from './slash.ts';

/** The second Ctrl-C or Escape counts within this time. */
const ARMED_MS = 2000;

/** Returns the step for a key that does not edit the draft. */
export function pressed(model: TuiModel, action: KeyAction): UpdateStep {
  return PRESSED[action]?.(model) ?? step(model);
}

const PRESSED: { readonly [A in KeyAction]?: (model: TuiModel) => UpdateStep } = {
  stop,
  back,
  leave: (model) => step({ ...model, stage: 'leaving' }, { type: 'save_draft' }, { type: 'quit' }),
  suspend: (model) => step(model, { type: 'suspend' }),
  redraw: (model) => step(model, { type: 'redraw' }),
  take_back: takeBack,
  search_history: (model) =>
    step(
      openChoice(model, {
        command: 'history',
        title: 'Prompts of all threads',
        rows: model.prompts.map((text) => ({ value: text, label: text.replace(/\s+/g, ' ') })),
      }),
    ),
  editor: (model) => step(model, { type: 'edit', text: composerText(model.composer), askId: null }),
  image: (model) => step(model, { type: 'paste_image' }),
  transcript: (model) => step(model, { type: 'perform', command: 'transcript', task: { what: 'open', value: '' } }),
  open_folded: (model) =>
    model.folded === null
      ? step({ ...model, hint: 'Nothing is folded yet.' })
      : step(model, { type: 'perform', command: 'transcript', task: { what: 'item', value: model.folded.id } }),
  preset: nextPreset,
  keys: (model) => runSlash(model, 'keys'),
};

/** Interrupts a turn; otherwise puts the draft aside, and leaves when pressed twice on an empty one. */
function stop(model: TuiModel): UpdateStep {
  if (model.list !== null) return closeList(model);
  if (runsCommand(model) || (model.turn !== null && !model.turn.isInterrupted)) return interrupt(model);
  if (!isComposerEmpty(model.composer)) {
    const text = composerText(model.composer);
    const aside = { ...model, composer: EMPTY_COMPOSER, recall: null, prompts: [text, ...model.prompts] };
    return step({ ...aside, hint: 'The draft is put aside: Up brings it back.' }, { type: 'save_draft' });
  }
  if (isArmed(model, 'stop')) return step({ ...model, stage: 'leaving' }, { type: 'save_draft' }, { type: 'quit' });
  return step({ ...model, armed: { key: 'stop', at: model.now }, hint: 'Ctrl-C again leaves.' });
}

/** Closes what is open, else interrupts the turn. Twice on an empty draft it goes back to an earlier turn. */
function back(model: TuiModel): UpdateStep {
  if (model.list !== null) return closeList(model);
  if (model.questions[0]?.hasFocus) return step(focusQuestion(model, false));
  if (runsCommand(model)) return interrupt(model);
  if (model.turn !== null) return model.turn.isInterrupted ? step(model) : interrupt(model);
  if (!isComposerEmpty(model.composer) || !model.thread?.hasTurns) return step(model);
  if (isArmed(model, 'rewind')) return runSlash({ ...model, armed: null }, 'rewind');
  return step({ ...model, armed: { key: 'rewind', at: model.now }, hint: 'Esc again goes back to an earlier turn.' });
}

/** Reports whether a command of the user's own runs while no turn does. */
const runsCommand = ({ turn, items }: TuiModel) =>
  turn === null && items.some((open) => 'item' in open && open.item.type === 'command' && open.item.by === 'user');

const isArmed = ({ armed, now }: TuiModel, key: 'stop' | 'rewind') => armed?.key === key && now - armed.at < ARMED_MS;

const interrupt = (model: TuiModel): UpdateStep =>
  step({ ...model, turn: model.turn && { ...model.turn, isInterrupted: true } }, { type: 'interrupt' });
