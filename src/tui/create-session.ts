import type { Thread } from '../app/thread/thread.ts';
import type { Answer, Ask, Event } from '../base/event.ts';
import type { Input } from '../base/input.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { Session } from './session.ts';
import { createThreadSlot, type SlotOptions } from './thread-slot.ts';

export interface SessionOptions extends SlotOptions, Pick<Session, 'runSelf' | 'exportThread'> {}

/** A session, and the parts of it that effects use. */
export interface EdgeSession extends Session {
  /** Tells the model about the agent, and loads what can wait in the background. */
  prepare(): Promise<void>;
  /** Lists threads to begin with. */
  pick(verb: 'resume' | 'fork', allFolders: boolean): Promise<void>;
  /** Begins a turn. */
  run(input: Input, overrides: TurnOverrides): void;
  /** Runs a command of the user's own to its end. */
  runCommand(script: string): Promise<void>;
  /** Interrupts the turn or the review, or else a command of the user's own. */
  interrupt(): void;
  answer(askId: string, answer: Answer): void;
  /** Shows that something could not be done. A turn that runs goes on. */
  fail(text: string): void;
  close(): Promise<void>;
}

/** Makes the session of a terminal: an agent, and one open thread at a time. */
export function createSession(options: SessionOptions): EdgeSession {
  const { env, model, send, worded, runSelf, exportThread } = options;
  const asks = createAsks();
  const onEvent = (event: Event) => send({ type: 'event', event: wordedEvent(event, worded), at: Date.now() });
  const slot = createThreadSlot(options, { onEvent, ask: asks.ask });
  /** Thread of a review. */
  let side: Thread | undefined;
  /** Interrupts the last command of the user's own. */
  let command: AbortController | undefined;
  const running = () => [side, slot.opened()].find((one) => one?.running);

  return {
    get agent() {
      return slot.agent();
    },
    get thread() {
      return slot.thread();
    },
    get model() {
      return model();
    },
    ...{ env, send, runSelf, exportThread },
    open: slot.open,
    prepare: slot.prepare,
    async review(target) {
      const { runReview } = await import('./run-review.ts');
      const onThread = (opened: Thread) => {
        side = opened;
      };
      return runReview(slot.agent(), target, { onEvent, ask: asks.ask, onThread });
    },
    async pick(verb, allFolders) {
      send({ type: 'slash', line: allFolders ? `${verb} --all` : verb });
    },
    run(input, overrides) {
      slot
        .thread()
        .run(input, overrides)
        .catch((error: unknown) => send({ type: 'failed', text: worded(error) }));
    },
    fail(text) {
      if (running()) send({ type: 'said', entries: [{ kind: 'notice', tone: 'error', text }] });
      else send({ type: 'failed', text });
    },
    async runCommand(script) {
      command = new AbortController();
      await slot.thread().runCommand(script, { signal: command.signal, ...commandSettings(model().overrides) });
    },
    interrupt() {
      const turn = running();
      if (turn) void turn.abort();
      else command?.abort();
    },
    answer: asks.answer,
    close: () => slot.agent().close(),
  };
}

/** Returns the questions that wait for an answer from the screen. */
function createAsks() {
  const waiting = new Map<string, (answer: Answer) => void>();
  return {
    ask: ({ id }: Ask, signal: AbortSignal): Promise<Answer> =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
        signal.addEventListener('abort', () => resolve({ type: 'abort' }), { once: true });
      }),
    answer(askId: string, answer: Answer): void {
      waiting.get(askId)?.(answer);
      waiting.delete(askId);
    },
  };
}

/** Returns an event whose error says what to do on the command line. */
function wordedEvent(event: Event, worded: (error: unknown) => string): Event {
  if (event.type !== 'turn.failed') return event;
  return { ...event, error: { ...event.error, message: worded(event.error) } };
}

/** Returns the settings that a command of the user shares with those of the model. */
const commandSettings = ({ sandboxMode }: TurnOverrides) => (sandboxMode === undefined ? {} : { sandboxMode });
