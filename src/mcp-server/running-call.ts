import type { TurnResult } from '../app/thread/thread.ts';
import { messageOf, UserError } from '../base/errors.ts';
import type { Answer, Ask } from '../base/event.ts';
import { elicitationOf, readApproval } from './approval.ts';
import { type ClientLink, createMessageSender } from './client-link.ts';
import { messagesOf, type SeenCalls } from './event-messages.ts';
import type { Asker, UsedThread } from './loaded-threads.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { sessionConfigured } from './session-configured.ts';
import { answerResult, type CodexResult, failedResult } from './tool-result.ts';

/** A call of `codex` or `codex-reply` whose turn runs. */
export interface RunningCall {
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

/** The state of a call. */
interface Call {
  readonly options: CallOptions;
  readonly outbox: Outbox;
  readonly turn: AbortController;
  /** Sentence for a turn that is interrupted. */
  why: string;
  used: UsedThread | undefined;
  /** The client that follows the call at this moment. */
  link: ClientLink | undefined;
  result: CodexResult | undefined;
  /** Open questions of a call whose client answers in rounds. */
  readonly questions: Map<string, OpenQuestion>;
}

interface OpenQuestion {
  readonly ask: Ask;
  answer(answer: Answer): void;
}

/** Starts a call. Its turn runs whether or not `follow` is called. */
export function startCall(options: CallOptions): RunningCall {
  const call: Call = {
    options,
    outbox: createOutbox((megabytes) =>
      interrupt(call, `The client left ${megabytes} MB of events unread, so the turn was interrupted.`),
    ),
    turn: new AbortController(),
    why: 'The turn was interrupted.',
    used: undefined,
    link: undefined,
    result: undefined,
    questions: new Map(),
  };
  void run(call)
    .catch((error: unknown) => failedResult(explained(error, options)))
    .then((ended) => {
      call.result = ended;
      call.outbox.wake();
    });
  return {
    follow: (link) => follow(call, link),
    answer(askId, answered) {
      const question = call.questions.get(askId);
      question?.answer(readApproval(answered, question.ask));
    },
    interrupt: (why) => interrupt(call, why),
  };
}

function interrupt(call: Call, why: string): void {
  if (call.turn.signal.aborted) return;
  call.why = why;
  call.turn.abort();
}

async function run(call: Call): Promise<CodexResult> {
  const { options, outbox, turn } = call;
  const used = await options.open(askerOf(call));
  call.used = used;
  const { thread } = used;
  const { baseInstructions, prompt } = options;
  const seen: SeenCalls = { asked: new Set() };
  outbox.push(sessionConfigured(used));
  const stop = thread.subscribe((event) => messagesOf(event, seen).forEach(outbox.push));
  try {
    const settings = baseInstructions === undefined ? {} : { baseInstructions };
    const ended = await thread.run(prompt, { signal: turn.signal, ...settings });
    return resultOf(thread.id, ended, call.why);
  } catch (error) {
    return failedResult(explained(error, options), thread.id);
  } finally {
    stop();
    used.release();
  }
}

/** Returns the function that asks the client; undefined for a client that cannot be asked. */
function askerOf(call: Call): Asker | undefined {
  const { mode } = call.options;
  if (mode.type === 'never') return undefined;
  return mode.type === 'push'
    ? (ask, signal) => push(call, mode, ask, signal)
    : (ask, signal) => keep(call, ask, signal);
}

/** Asks the client by a request. */
async function push(
  { outbox, used, link }: Call,
  { elicit }: Extract<AskMode, { type: 'push' }>,
  ask: Ask,
  signal: AbortSignal,
): Promise<Answer> {
  // The client reads about the question before it is asked.
  while (!outbox.isEmpty && !signal.aborted) await outbox.changed();
  const context = { threadId: used?.thread.id ?? '', requestId: link?.requestId ?? '' };
  try {
    return readApproval(await elicit(elicitationOf(ask, context), signal), ask);
  } catch (error) {
    return { type: 'decline', message: `The client could not be asked: ${messageOf(error)}` };
  }
}

/** Keeps a question open until the client calls again with the answer. */
function keep({ questions, outbox }: Call, ask: Ask, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const close = (answer: Answer) => {
      questions.delete(ask.id);
      resolve(answer);
    };
    signal.addEventListener('abort', () => close({ type: 'decline' }), { once: true });
    questions.set(ask.id, { ask, answer: close });
    outbox.wake();
  });
}

async function follow(call: Call, link: ClientLink): Promise<CallEnd | CallQuestions> {
  const { outbox, questions } = call;
  const cancel = () => interrupt(call, CANCELLED);
  const sender = createMessageSender(link);
  call.link = link;
  link.signal.addEventListener('abort', cancel, { once: true });
  if (link.signal.aborted) cancel();
  try {
    for (;;) {
      const threadId = call.used?.thread.id ?? '';
      const message = outbox.shift();
      if (message !== undefined) {
        await sender.send(message, threadId).catch(() => lose(call));
        outbox.wake();
      } else if (call.result !== undefined) return { type: 'end', result: call.result };
      else if (questions.size > 0)
        return { type: 'questions', threadId, asks: [...questions.values()].map(({ ask }) => ask) };
      else await outbox.changed();
    }
  } finally {
    call.link = undefined;
    sender.close();
    link.signal.removeEventListener('abort', cancel);
  }
}

/** Ends a call whose client has gone. */
function lose(call: Call): void {
  call.outbox.discard();
  interrupt(call, 'The client has gone, and the turn was interrupted.');
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
