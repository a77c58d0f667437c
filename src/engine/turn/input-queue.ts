import { UserError } from '../../base/errors.ts';
import type { EventBody } from '../../base/event.ts';
import type { QueuedInput } from '../../base/input.ts';
import type { ContentPart, Item } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import type { World } from '../../base/world.ts';
import { inputText, message, showInput, textPart } from '../state/message.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Recorder, Turn } from '../turn-setup.ts';

/** Input that waits for the next request. Every change is on disk when its promise resolves. */
export interface InputQueue {
  /** Adds input at the end. Throws `UserError` if the input is empty, or if its id is queued already. */
  add(content: readonly ContentPart[], id?: string): Promise<QueuedInput>;
  /** Returns false if the input is no longer queued. */
  edit(id: string, content: readonly ContentPart[]): Promise<boolean>;
  remove(id: string): Promise<boolean>;
}

export interface InputQueueParts {
  readonly state: ThreadState;
  readonly world: World;
  readonly decide: Recorder['decide'];
  emit(event: EventBody): void;
}

export function createInputQueue({ state, world, decide, emit }: InputQueueParts): InputQueue {
  const waits = (id: string) => state.queue.some((input) => input.id === id);

  /** Changes input that is still queued. Whether it is queued is checked when nothing else can take it. */
  async function changeWaiting(line: OxbowLine & { readonly id: string }): Promise<boolean> {
    const made = await decide(() => (waits(line.id) ? [own(line)] : []));
    if (made.length > 0) emit(queueChanged(state));
    return made.length > 0;
  }

  return {
    async add(content, id = world.uuid()) {
      requireContent(content);
      await decide(() => {
        if (waits(id)) throw new UserError('invalid_input', `An input with the id "${id}" is queued already.`);
        return [own({ kind: 'input.queued', id, content })];
      });
      emit(queueChanged(state));
      return { id, content };
    },
    async edit(id, content) {
      requireContent(content);
      return changeWaiting({ kind: 'input.edited', id, content });
    },
    remove: (id) => changeWaiting({ kind: 'input.removed', id }),
  };
}

/**
 * Moves queued input into the history, in its order: all of it, or the input with these ids. Input that is edited or
 * removed meanwhile is taken in its new form, or not at all. Throws, without taking anything, if the turn was
 * interrupted or has no request left. Returns the number of inputs taken.
 */
export async function takeQueued(turn: Turn, ids?: ReadonlySet<string>): Promise<number> {
  await tellCommands(turn);
  const next = () => turn.state.queue.find(({ id }) => ids === undefined || ids.has(id));
  if (!next()) return 0;
  turn.limits.check();
  let count = 0;
  for (; ; count++) {
    turn.signal.throwIfAborted();
    let taken: QueuedInput | undefined;
    let said: Item | undefined;
    await turn.decide(() => {
      taken = next();
      if (!taken) return [];
      said = message(turn.thread.world, 'user', taken.content);
      return takingLines(said, taken);
    });
    if (!taken || !said) break;
    turn.emit({ type: 'input.taken', id: taken.id, content: taken.content });
    showInput(turn, said);
  }
  if (count > 0) turn.emit(queueChanged(turn.state));
  return count;
}

/** Adds the user's commands that have ended to the history. */
async function tellCommands(turn: Turn): Promise<void> {
  const next = () => [...turn.state.commands.values()].find(({ text }) => text !== null);
  while (next()) {
    turn.signal.throwIfAborted();
    await turn.decide(() => {
      const { id, text } = next() ?? {};
      if (id === undefined || typeof text !== 'string') return [];
      const payload = message(turn.thread.world, 'user', [textPart(text)]);
      return [{ type: 'response_item', payload, metadata: { command: id } }];
    });
  }
}

/** Returns the lines that take an input. The first line removes it from the queue and adds it to the history. */
function takingLines(payload: Item, { id, content }: QueuedInput): readonly LogLine[] {
  return [
    { type: 'response_item', payload, metadata: { queued: id } },
    { type: 'event_msg', payload: { type: 'user_message', message: inputText(content) } },
  ];
}

/** Records that a turn is complete. Returns its answer. */
export async function completeTurn(turn: Turn, answer: string): Promise<string> {
  await turn.record(completion(turn, answer));
  return answer;
}

export function completion({ id }: Turn, answer: string): LogLine {
  return { type: 'event_msg', payload: { type: 'task_complete', turn_id: id, last_agent_message: answer } };
}

export function queueChanged({ queue }: ThreadState): EventBody {
  return { type: 'queue.changed', queue: [...queue] };
}

function own(payload: OxbowLine): LogLine {
  return { type: 'oxbow', payload };
}

function requireContent(content: readonly ContentPart[]): void {
  if (content.length === 0) throw new UserError('invalid_input', 'An empty input cannot be queued.');
}
