import type { Answer } from '../base/event.ts';
import type { Input } from '../base/input.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { TuiModel } from './model.ts';

/** Something to do outside the model. Results come back as messages. */
export type Effect =
  | { readonly type: 'run'; readonly input: Input; readonly overrides: TurnOverrides }
  | { readonly type: 'steer'; readonly input: Input }
  /** Takes input back that waits for the next request, to be edited. */
  | { readonly type: 'take_back'; readonly id: string; readonly text: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'answer'; readonly askId: string; readonly answer: Answer }
  /** A command of the user's own. */
  | { readonly type: 'user_command'; readonly script: string }
  /** Opens the draft in the user's editor, or the script of a question. */
  | { readonly type: 'edit'; readonly text: string; readonly askId: string | null }
  | { readonly type: 'paste_image' }
  | { readonly type: 'find_files'; readonly query: string }
  /** Runs a slash command that waited for the end of a turn. */
  | { readonly type: 'slash'; readonly line: string }
  /** Work of a slash command. `opens`: it opens another thread, and `opened` follows its end. */
  | { readonly type: 'perform'; readonly command: string; readonly task: CommandTask; readonly opens?: true }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'notify'; readonly text: string }
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'save_draft' }
  | { readonly type: 'redraw' }
  | { readonly type: 'suspend' }
  | { readonly type: 'quit' };

/** Work that a slash command asks for. Only the command knows its kinds. */
export interface CommandTask {
  readonly what: string;
  readonly value: string;
}

/** A new state of the model, and the effects that follow. */
export interface UpdateStep {
  readonly model: TuiModel;
  readonly effects: readonly Effect[];
}

export const step = (model: TuiModel, ...effects: readonly Effect[]): UpdateStep => ({ model, effects });

/** Returns the step with the work of a command that opens another thread. */
export const opens = (model: TuiModel, command: string, task: CommandTask): UpdateStep =>
  step({ ...model, isOpening: true }, { type: 'perform', command, task, opens: true });

/** Returns a step whose effects come after those of the step before it. */
export function andThen({ model, effects }: UpdateStep, next: (model: TuiModel) => UpdateStep): UpdateStep {
  const after = next(model);
  return { model: after.model, effects: [...effects, ...after.effects] };
}
