import type { Event, ThreadItem } from '../../base/event.ts';
import { EMPTY_MARKDOWN, endMarkdown, type MarkdownPart, pushMarkdown } from '../../markdown/push-markdown.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { composerInput, composerText } from '../composer/composer.ts';
import { andThen, type Effect, step, type UpdateStep } from '../effect.ts';
import type { LiveMessage, ProgressItem, TuiModel } from '../model.ts';
import { answerEntries, type Entry, partEntry } from '../view/entry.ts';
import { isFolded } from '../view/folded.ts';
import { answered, openQuestion, withQuestions } from './question.ts';
import { note, say } from './say.ts';

/** Returns the model after an event of the thread. */
export function follow(model: TuiModel, event: Event): UpdateStep {
  const handle = EVENTS[event.type] as ((model: TuiModel, event: Event) => TuiModel | UpdateStep) | undefined;
  const next = handle?.(model, event) ?? model;
  return 'effects' in next ? next : step(next);
}

type EventHandlers = {
  readonly [T in Event['type']]?: (
    model: TuiModel,
    event: Extract<Event, { readonly type: T }>,
  ) => TuiModel | UpdateStep;
};

const EVENTS: EventHandlers = {
  'turn.started': (model) => ({
    ...model,
    turn: { startedAt: model.now, note: null, isInterrupted: false },
    thread: model.thread && { ...model.thread, hasTurns: true },
  }),
  'item.started': (model, { item }) => beginItem(model, item),
  'item.updated': (model, { item }) => updateItem(model, item),
  'item.completed': (model, { item }) => endItem(model, item),
  'item.dropped': (model, { itemId }) => dropItem(model, itemId),
  'text.delta': (model, { itemId, delta }) => addText(model, itemId, delta),
  'reasoning.delta': (model, { itemId, delta }) => addReasoning(model, itemId, delta),
  'reasoning.section': (model, { itemId }) => addReasoning(model, itemId, '\n\n'),
  'command.output': (model, { itemId, text }) => addOutput(model, itemId, text),
  'call.progress': (model, { callId, text }) => noteProgress(model, callId, text),
  'ask.opened': (model, { ask }) => openQuestion(model, ask),
  'ask.answered': (model, { askId, type: _, ...given }) => answered(model, askId, given),
  retry: (model, { attempt, max, reason }) => noteWork(model, `reconnecting ${attempt}/${max}: ${reason}`),
  'request.waiting': (model) => noteWork(model, 'waiting for the limiter'),
  'usage.waiting': (model, { until }) =>
    noteWork(model, `usage limit reached, waiting until ${new Date(until).toLocaleTimeString()}`),
  'request.ended': (model, { cost }) => addCost(noteWork(model, null), cost),
  repair: (model, { type: _, v: _v, seq: _s, threadId: _t, turnId: _u, ...repair }) =>
    say(model, { kind: 'repair', repair }),
  // The configuration's warnings are shown before the first turn.
  warning: (model, { code, message }) => (code === 'config' ? model : note(model, message, 'warning')),
  usage: (model, { thread }) => ({ ...model, settings: { ...model.settings, tokens: thread.totalTokens } }),
  context: (model, { percentLeft }) => ({ ...model, settings: { ...model.settings, contextLeft: percentLeft } }),
  'terminals.changed': (model, { terminals }) => ({
    ...model,
    settings: { ...model.settings, terminals: terminals.length },
  }),
  compacted: (model, { before, after }) =>
    note(model, `The history was compacted: about ${thousands(before)} tokens before, ${thousands(after)} now.`),
  'mcp.state': (model, { server, status, message }) =>
    status === 'failed'
      ? note(model, `MCP server ${server}: ${message ?? 'it could not be started.'}`, 'warning')
      : model,
  'queue.changed': (model, { queue }) => ({ ...model, steered: queue }),
  'output.refused': (model, { faults }) => note(model, `The answer does not fit its schema: ${faults.join('; ')}`),
  'turn.completed': (model) => endTurn(model),
  'turn.failed': (model, { error }) => endTurn(model, { kind: 'notice', tone: 'error', text: error.message }),
  'turn.aborted': (model) => endTurn(model, { kind: 'notice', tone: 'dim', text: 'Interrupted.' }),
  'turn.suspended': (model) => endTurn(model),
};

const thousands = (count: number) =>
  count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;

const noteWork = (model: TuiModel, text: string | null): TuiModel =>
  model.turn === null || model.turn.note === text ? model : { ...model, turn: { ...model.turn, note: text } };

function addCost(model: TuiModel, cost: number | null): TuiModel {
  const before = model.settings.cost;
  return { ...model, settings: { ...model.settings, cost: before === null || cost === null ? null : before + cost } };
}

function beginItem(model: TuiModel, item: ThreadItem): TuiModel {
  if (item.type === 'user_message') return model;
  if (item.type === 'plan') return { ...model, plan: item, isPlanLive: true };
  return { ...model, items: [...model.items, openItem(item, model.now)] };
}

function openItem(item: ThreadItem, startedAt: number): ProgressItem {
  const { id } = item;
  if (item.type === 'agent_message') return { kind: 'message', id, markdown: EMPTY_MARKDOWN, isShown: false };
  if (item.type === 'reasoning') return { kind: 'reasoning', id, text: '' };
  if (item.type === 'command') return { kind: 'command', id, item, tail: '', startedAt };
  return { kind: 'other', id, item, note: null, startedAt };
}

const changeItem = (model: TuiModel, id: string, change: (item: ProgressItem) => ProgressItem): TuiModel => ({
  ...model,
  items: model.items.map((item) => (item.id === id ? change(item) : item)),
});

function updateItem(model: TuiModel, item: ThreadItem): TuiModel {
  if (item.type === 'plan') return { ...model, plan: item, isPlanLive: true };
  return changeItem(model, item.id, (open) => ('item' in open ? { ...open, item } : open));
}

/** Characters of reasoning that are kept for the line about it. */
const REASONING_CHARS = 4000;
/** Characters of a command's output that are kept for the live rows. */
const TAIL_CHARS = 8000;

const addReasoning = (model: TuiModel, id: string, delta: string) =>
  changeItem(model, id, (open) =>
    open.kind === 'reasoning' ? { ...open, text: `${open.text}${delta}`.slice(0, REASONING_CHARS) } : open,
  );

const addOutput = (model: TuiModel, id: string, text: string) =>
  changeItem(model, id, (open) =>
    open.kind === 'command' ? { ...open, tail: `${open.tail}${text}`.slice(-TAIL_CHARS) } : open,
  );

const noteProgress = (model: TuiModel, id: string, text: string) =>
  changeItem(model, id, (open) => (open.kind === 'other' ? { ...open, note: text } : open));

function addText(model: TuiModel, id: string, delta: string): TuiModel {
  const open = model.items.find((item): item is LiveMessage => item.kind === 'message' && item.id === id);
  if (open === undefined) return model;
  const { state, parts } = pushMarkdown(open.markdown, delta);
  const isShown = open.isShown || parts.length > 0;
  return say(
    changeItem(model, id, () => ({ ...open, markdown: state, isShown })),
    ...partEntries(parts, open.isShown),
  );
}

/** Returns the entries of finished parts. `isShown`: whether parts of the same message came before. */
const partEntries = (parts: readonly MarkdownPart[], isShown: boolean): Entry[] =>
  parts.map((part, index) => partEntry(part, !isShown && index === 0));

/** Returns the entries of a message that has arrived to its end. */
function messageEnd(open: ProgressItem | undefined, text: string): Entry[] {
  if (open?.kind !== 'message') return [];
  // A server that does not stream sends the text with the end of the item.
  const isSilent = !open.isShown && open.markdown === EMPTY_MARKDOWN;
  return isSilent ? answerEntries(text) : partEntries(endMarkdown(open.markdown), open.isShown);
}

function endItem(before: TuiModel, item: ThreadItem): TuiModel {
  const open = before.items.find(({ id }) => id === item.id);
  const model = { ...before, items: before.items.filter(({ id }) => id !== item.id) };
  switch (item.type) {
    case 'user_message': {
      const [, ...sending] = model.sending;
      const how = model.sending.length > 0 ? 'sent' : 'steered';
      return say({ ...model, sending }, { kind: 'user', text: item.text, images: item.images, how });
    }
    case 'agent_message':
      return say({ ...model, answer: item.text }, ...messageEnd(open, item.text));
    case 'reasoning':
      return item.text.trim() === '' ? model : say(model, { kind: 'reasoning', text: item.text });
    case 'plan':
      return say({ ...model, plan: item, isPlanLive: false }, { kind: 'item', item });
    case 'command': {
      const lastCommand = shownCommand(item.argv);
      const folded = isFolded(item) ? item : model.folded;
      return say({ ...model, lastCommand, folded }, { kind: 'item', item });
    }
    default:
      return say({ ...model, folded: isFolded(item) ? item : model.folded }, { kind: 'item', item });
  }
}

function dropItem(before: TuiModel, id: string): TuiModel {
  const open = before.items.find((item) => item.id === id);
  const model = { ...before, items: before.items.filter((item) => item.id !== id) };
  if (open?.kind !== 'message' || !open.isShown) return model;
  return note(
    say(model, ...partEntries(endMarkdown(open.markdown), true)),
    'The response broke off and is requested again.',
  );
}

/** Returns the model at the end of a turn, and the next turn if input waits for it. */
function endTurn(model: TuiModel, ...entries: readonly Entry[]): UpdateStep {
  const seconds = model.turn === null ? 0 : (model.now - model.turn.startedAt) / 1000;
  const kept = model.items.filter(({ kind }) => kind === 'command');
  const told: Effect[] = seconds >= NOTIFY_SECONDS ? [{ type: 'notify', text: 'The turn has ended.' }] : [];
  const rest = withQuestions({ ...model, turn: null, items: kept, isPlanLive: false, sending: [] }, []);
  const ended = say(rest, ...entries);
  return andThen(step(ended, ...told), sendNext);
}

const NOTIFY_SECONDS = 10;

/** Returns the model after a turn that could not run. */
export const endFailedTurn = (model: TuiModel, text: string): TuiModel =>
  note({ ...model, turn: null, sending: [] }, text, 'error');

/** Sends the first input that waits for a turn of its own, and runs the commands that waited for the end of a turn. */
export function sendNext(model: TuiModel): UpdateStep {
  const isAsked = model.list?.kind === 'choose' && model.list.isAsked;
  if (model.turn !== null || model.thread === null || model.isOpening || isAsked) return step(model);
  const [command, ...delayed] = model.delayed;
  if (command !== undefined) return step({ ...model, delayed }, { type: 'slash', line: command });
  const [first, ...later] = model.later;
  if (first === undefined || model.isHeld) return step(model);
  return andThen(runTurn({ ...model, later }, first), (next) => step(next, { type: 'save_draft' }));
}

/** Returns the model with a turn that begins. The user's text is shown when the thread has it. */
export function runTurn(model: TuiModel, composer: TuiModel['composer']): UpdateStep {
  const input = composerInput(composer);
  const turn = { startedAt: model.now, note: null, isInterrupted: false };
  return step(
    { ...model, turn, isHeld: false, sending: [...model.sending, composerText(composer)] },
    { type: 'run', input, overrides: model.overrides },
  );
}
