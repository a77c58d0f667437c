import { type Composer, composerOf, composerText, EMPTY_COMPOSER, isComposerEmpty } from '../composer/composer.ts';
import { editComposer } from '../composer/edit-composer.ts';
import { andThen, step, type UpdateStep } from '../effect.ts';
import type { RestoredDraft, TuiMessage } from '../message.ts';
import type { OpenThread, TuiModel } from '../model.ts';
import { prependBlocks } from '../pager/pager.ts';
import { editDraft, takeInput } from './input.ts';
import { pickRow, showFiles } from './list.ts';
import { fillList, openChoice } from './open-choice.ts';
import { typing, withQuestions } from './question.ts';
import { say } from './say.ts';
import { runSlash } from './slash.ts';
import { endFailedTurn, follow, sendNext } from './turn.ts';

/** Returns the model after a message, and the effects that follow. Pure: time comes with the messages. */
export function update(model: TuiModel, message: TuiMessage): UpdateStep {
  const handle = HANDLERS[message.type] as (model: TuiModel, message: TuiMessage) => UpdateStep;
  return handle(model, message);
}

type Handlers = {
  readonly [T in TuiMessage['type']]: (model: TuiModel, message: Extract<TuiMessage, { type: T }>) => UpdateStep;
};

const HANDLERS: Handlers = {
  input: (model, { event, at }) => takeInput({ ...model, now: at }, event),
  event: (model, { event, at }) => follow({ ...model, now: at }, event),
  tick: (model, { at }) => step({ ...model, now: at }),
  resized: (model, { size }) => step({ ...model, size }),
  drawn: (model, { entries }) =>
    step({
      ...model,
      outbox: model.outbox.slice(entries),
      lastEntry: model.outbox[entries - 1] ?? model.lastEntry,
    }),
  ready: (model, { place, look, keys, settings }) =>
    step({ ...model, place, look, keys, settings, configured: settings, stage: 'ready' }),
  opened: (model) => sendNext({ ...model, isOpening: false }),
  thread: (model, { thread, entries }) => sendNext(say(opened(fresh(model), thread), ...entries)),
  first: (model, { text, images }) =>
    step(
      { ...model, later: [...model.later, firstDraft(text, images)], prompts: [text, ...model.prompts] },
      { type: 'remember', text },
    ),
  // Drafts may have been put aside before the prompts of earlier threads were read.
  prompts: (model, { prompts }) => step({ ...model, prompts: [...new Set([...model.prompts, ...prompts])] }),
  settings: (model, { settings, overrides }) =>
    sendNext({
      ...model,
      settings: { ...model.settings, ...settings },
      overrides: { ...model.overrides, ...overrides },
    }),
  look: (model, { look }) => step({ ...model, look: { ...model.look, ...look } }),
  branch: (model, { branch }) => step({ ...model, place: { ...model.place, branch } }),
  said: (model, { entries }) => sendNext(say(model, ...entries)),
  rows: (model, { command, rows }) => step(fillList(model, command, rows)),
  choose: (model, { type: _, ...opening }) => step(openChoice(model, opening)),
  pick: (model, { index }) => pickRow(model, index),
  answer: (model, { askId, answer }) => step(model, { type: 'answer', askId, answer }),
  files: (model, { query, rows }) => step(showFiles(model, query, rows)),
  page: (model, { type: _, ...pager }) => step({ ...model, pager }),
  earlier: (model, { blocks, before }) =>
    step({
      ...model,
      pager: model.pager && {
        ...model.pager,
        before,
        pager: prependBlocks(model.pager.pager, blocks, before !== null),
      },
    }),
  draft: (model, { text }) => editDraft(putAside(model), { type: 'set', text }),
  restored: (model, { draft }) => restored(model, draft),
  image: (model, { path, label }) => editDraft(model, { type: 'image', path, label }),
  hint: (model, { text }) => step({ ...model, hint: text }),
  failed: (model, { text }) => andThen(step(endFailedTurn(model, text)), sendNext),
  slash: (model, { line }) => andThen(runSlash(model, line), sendNext),
  leave: (model) => step({ ...model, stage: 'leaving' }, { type: 'save_draft' }, { type: 'quit' }),
};

/**
 * Returns the model with a draft of an earlier process, and the texts that waited. A draft never takes the place of one that
 * is being typed: it is then among the prompts.
 */
function restored(model: TuiModel, { text, folds, waiting = [] }: RestoredDraft): UpdateStep {
  const isHeld = waiting.length > 0 && model.turn === null;
  const waits = { ...model, later: [...waiting.map(composerOf), ...model.later], isHeld: model.isHeld || isHeld };
  const draft = composerOf({ text, folds });
  if (isComposerEmpty(draft)) return step(waits);
  if (isComposerEmpty(model.composer)) return step(typing({ ...waits, composer: draft }));
  const aside = composerText(draft);
  const hint = 'An earlier draft is among your prompts: Up on an empty draft brings it back.';
  return step({ ...waits, prompts: [aside, ...model.prompts], hint }, { type: 'remember', text: aside });
}

/** Returns the model with the draft among the prompts, since another text takes its place. */
function putAside(model: TuiModel): TuiModel {
  const text = composerText(model.composer);
  return text.trim() === '' || model.prompts[0] === text ? model : { ...model, prompts: [text, ...model.prompts] };
}

/** Returns the model without what belongs to the thread that was open before. */
function fresh(model: TuiModel): TuiModel {
  const none = { turn: null, items: [], sending: [], steered: [], pager: null, folded: null };
  return { ...withQuestions(model, []), ...none, plan: null, isPlanLive: false, answer: '', lastCommand: null };
}

/** Returns the model with another thread. The figures of an old one come with its next request. */
function opened(model: TuiModel, thread: OpenThread): TuiModel {
  const settings = { ...model.settings, tokens: 0, cost: thread.hasTurns ? null : 0, contextLeft: null };
  return { ...model, thread, settings: { ...settings, terminals: 0 } };
}

function firstDraft(text: string, images: readonly string[]): Composer {
  const set = editComposer(EMPTY_COMPOSER, { type: 'set', text }, 80);
  return images.reduce((draft, path) => editComposer(draft, { type: 'image', path, label: path }, 80), set);
}
