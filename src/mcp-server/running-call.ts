import type { TurnResult } from '../app/thread/thread.ts';
import { messageOf, UserError } from '../base/errors.ts';
import type { Answer, Ask } from '../base/event.ts';
import { elicitationOf, readApproval } from './approval.ts';
import { type ClientLink, createMessageSender } from './client-link.ts';
import { messagesOf, type SeenCalls } from './event-messages.ts';
import type { Asker, UsedThread } from './loaded-threads.ts';
import { createOutbox } from './outbox.ts';
import { sessionConfigured } from './session-configured.ts';
import { answerResult, type CodexResult, failedResult } from './tool-result.ts';

/** A call of `codex` or `codex-reply` whose turn runs. */
export interface RunningCall {
  /** Null until the thread is open. */
  readonly threadId: string | null;
  /** Sends what happens to the client until the call ends, or until it stops at questions that the client must answer. */
  follow(link: ClientLink): Promise<CallEnd | CallQuestions>;
  /** Answers a question with the result of an elicitation. An unknown question is ignored. */
  answer(askId: string, result: unknown): void;
  /** Interrupts the turn. The sentence becomes the result of the call. */
  interrupt(why: string): void;
}

export interface CallEnd {
  readonly type: 'end';
  readonly result: CodexResult;
}

export interface CallQuestions {
  readonly type: 'questions';
  readonly threadId: string;
  readonly asks: readonly Ask[];
}

/**
 * The way in which a client can be asked. `never`: not at all. `push`: by a request to the client. `rounds`: the call
 * stops with the questions, and the client calls again with the answers.
 */
export type AskMode =
  | { readonly type: 'never' | 'rounds' }
  | { readonly type: 'push'; elicit(params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> };

export interface CallOptions {
  readonly mode: AskMode;
  readonly prompt: string;
  /** Base instructions from this turn on. */
  readonly baseInstructions?: string | undefined;
  /** Opens the thread. */
  open(asker: Asker | undefined): Promise<UsedThread>;
  /** Called with an error that is a bug. */
  onError(error: unknown): void;
}

const CANCELLED = 'The call was cancelled, and its turn was interrupted.';

/** Starts a call. Its turn runs whether or not `follow` is called. */
export function startCall(options: CallOptions): RunningCall {
  const turn = new AbortController();
  let why = 'The turn was interrupted.';
  let used: UsedThread | undefined;
  let result: CodexResult | undefined;
  let link: ClientLink | undefined;
  const questions = new Map<string, { readonly ask: Ask; answer(answer: Answer): void }>();
  const outbox = createOutbox((megabytes) =>
    interrupt(`The client left ${megabytes} MB of events unread, so the turn was interrupted.`),
  );

  function interrupt(sentence: string): void {
    if (turn.signal.aborted) return;
    why = sentence;
    turn.abort();
  }

  const askers: Readonly<Record<AskMode['type'], Asker | undefined>> = {
    never: undefined,
    async push(ask, signal) {
      // The client reads about the question before it is asked.
      while (!outbox.isEmpty && !signal.aborted) await outbox.changed();
      if (options.mode.type !== 'push' || link === undefined) return { type: 'decline' };
      const params = elicitationOf(ask, { threadId: used?.thread.id ?? '', requestId: link.requestId });
      try {
        return readApproval(await options.mode.elicit(params, signal), ask);
      } catch (error) {
        return { type: 'decline', message: `The client could not be asked: ${messageOf(error)}` };
      }
    },
    rounds: (ask, signal) =>
      new Promise((resolve) => {
        const close = (answer: Answer) => {
          questions.delete(ask.id);
          resolve(answer);
        };
        signal.addEventListener('abort', () => close({ type: 'decline' }), { once: true });
        questions.set(ask.id, { ask, answer: close });
        outbox.wake();
      }),
  };

  async function run(): Promise<CodexResult> {
    used = await options.open(askers[options.mode.type]);
    const { thread } = used;
    const { baseInstructions, prompt } = options;
    const seen: SeenCalls = { asked: new Set() };
    outbox.push(sessionConfigured(used));
    const stop = thread.subscribe((event) => messagesOf(event, seen).forEach(outbox.push));
    try {
      const { signal } = turn;
      const ended = await thread.run(prompt, {
        signal,
        ...(baseInstructions === undefined ? {} : { baseInstructions }),
      });
      return resultOf(thread.id, ended, why);
    } catch (error) {
      return failedResult(explained(error, options), thread.id);
    } finally {
      stop();
      used.release();
    }
  }

  void run()
    .catch((error: unknown) => failedResult(explained(error, options)))
    .then((ended) => {
      result = ended;
      outbox.wake();
    });

  async function follow(next: ClientLink): Promise<CallEnd | CallQuestions> {
    const cancel = () => interrupt(CANCELLED);
    const sender = createMessageSender(next);
    link = next;
    next.signal.addEventListener('abort', cancel, { once: true });
    if (next.signal.aborted) cancel();
    try {
      for (;;) {
        const message = outbox.shift();
        if (message !== undefined) {
          await sender.send(message, used?.thread.id ?? '').catch(lose);
          outbox.wake();
        } else if (result !== undefined) return { type: 'end', result };
        else if (questions.size > 0) return questionsNow();
        else await outbox.changed();
      }
    } finally {
      link = undefined;
      sender.close();
      next.signal.removeEventListener('abort', cancel);
    }
  }

  /** Ends a call whose client has gone. */
  function lose(): void {
    outbox.discard();
    interrupt('The client has gone, and the turn was interrupted.');
  }

  function questionsNow(): CallQuestions {
    const asks = [...questions.values()].map(({ ask }) => ask);
    return { type: 'questions', threadId: used?.thread.id ?? '', asks };
  }

  return {
    get threadId() {
      return used?.thread.id ?? null;
    },
    follow,
    answer(askId, answered) {
      const question = questions.get(askId);
      question?.answer(readApproval(answered, question.ask));
    },
    interrupt,
  };
}

function resultOf(id: string, ended: TurnResult, why: string): CodexResult {
  if (ended.status === 'completed') return answerResult(id, ended.finalResponse);
  return failedResult(ended.status === 'failed' && ended.error ? ended.error.message : why, id);
}

/** Returns a sentence about an error. An error that is not a mistake of the user is reported as a bug. */
function explained(error: unknown, { onError }: Pick<CallOptions, 'onError'>): string {
  if (!(error instanceof UserError)) onError(error);
  return messageOf(error);
}
