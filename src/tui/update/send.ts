import { composerInput, composerText, EMPTY_COMPOSER, isComposerEmpty } from '../composer/composer.ts';
import { editComposer } from '../composer/edit-composer.ts';
import { type Effect, step, type UpdateStep } from '../effect.ts';
import type { TuiModel } from '../model.ts';
import { isSlash, runSlash } from './slash.ts';
import { runTurn } from './turn.ts';

/** Sends the draft: as a command, with the next request of the running turn, or as a new turn. */
export function sendDraft(model: TuiModel): UpdateStep {
  const text = composerText(model.composer);
  if (text.trim() === '') return step(model);
  if (text.endsWith('\\')) return continueLine(model);
  if (model.isOpening && isCommand(text)) return step({ ...model, hint: NOT_OPEN });
  const cleared = remembered(model, text);
  if (isSlash(text)) return withRemembered(runSlash(cleared, text.slice(1)), text);
  if (isCommand(text))
    return withRemembered(step(cleared, { type: 'user_command', script: text.slice(1).trim() }), text);
  // Without a thread the input waits for it.
  if (model.thread === null || model.isOpening)
    return withRemembered(step({ ...cleared, later: [...model.later, model.composer], isHeld: false }), text);
  if (model.turn === null) return withRemembered(runTurn(cleared, model.composer), text);
  return withRemembered(step(cleared, { type: 'steer', input: composerInput(model.composer) }), text);
}

/** Reports whether a text is a command of the user's own. */
const isCommand = (text: string) => text.startsWith('!') && text.trim() !== '!';

const NOT_OPEN = 'The thread is not open yet. Try again in a moment.';

/** Keeps the draft for a turn of its own after this one. Without a running turn the key does nothing. */
export function queueDraft(model: TuiModel): UpdateStep {
  const text = composerText(model.composer);
  if (model.turn === null || text.trim() === '') return step(model);
  const later = [...model.later, model.composer];
  return withRemembered(step({ ...remembered(model, text), later, isHeld: false }), text);
}

/** Returns the step for a backslash at the end of the draft. It stands for a new line, for terminals that cannot tell Shift-Enter from Enter. */
function continueLine(model: TuiModel): UpdateStep {
  const width = Math.max(1, model.size.columns - 2);
  const shorter = editComposer(model.composer, { type: 'delete', what: 'left' }, width);
  return step(
    { ...model, composer: editComposer(shorter, { type: 'insert', text: '\n' }, width) },
    { type: 'save_draft' },
  );
}

/** Returns the model without the draft, which is now the newest prompt. */
function remembered(model: TuiModel, text: string): TuiModel {
  const prompts = model.prompts[0] === text ? model.prompts : [text, ...model.prompts];
  return { ...model, composer: EMPTY_COMPOSER, prompts, recall: null, list: null };
}

function withRemembered({ model, effects }: UpdateStep, text: string): UpdateStep {
  const more: Effect[] = [{ type: 'remember', text }, { type: 'save_draft' }];
  return step(model, ...effects, ...more);
}

/** Returns the model with the last input that waits in the composer again, to be edited. */
export function takeBack(model: TuiModel): UpdateStep {
  if (!isComposerEmpty(model.composer)) return step({ ...model, hint: 'Send or put aside the draft first.' });
  const last = model.later.at(-1);
  if (last !== undefined)
    return step({ ...model, composer: last, later: model.later.slice(0, -1) }, { type: 'save_draft' });
  const steered = model.steered.at(-1);
  if (steered === undefined) return step({ ...model, hint: 'Nothing waits.' });
  const text = steered.content.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  return step(model, { type: 'take_back', id: steered.id, text });
}
