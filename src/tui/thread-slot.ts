import type { Agent } from '../app/agent.ts';
import type { ThreadOptions } from '../app/agent-parts.ts';
import type { Thread } from '../app/thread/thread.ts';
import { UserError } from '../base/errors.ts';
import { told } from './commands/notice.ts';
import { firstQuestions } from './first-questions.ts';
import type { FirstRequest } from './first-request.ts';
import { lastTurns } from './last-turns.ts';
import { loadComforts } from './load-comforts.ts';
import type { TuiModel } from './model.ts';
import { readyMessage, themeNote } from './ready-message.ts';
import type { DraftPlace, Opening, Session } from './session.ts';

export interface SlotOptions extends Pick<Session, 'env' | 'send'> {
  createAgent(): Agent;
  readonly attributes: boolean;
  model(): TuiModel;
  /** Brings back the draft of a thread or a folder. */
  restoreDraft(place: DraftPlace): Promise<void>;
  readonly firstRequest: FirstRequest;
  /** Returns the worded message of an error. */
  worded(error: unknown): string;
}

/** The agent of a terminal and the one thread that is open in it. */
export interface ThreadSlot {
  agent(): Agent;
  /** Returns the open thread. Throws `UserError` while there is none. */
  thread(): Thread;
  opened(): Thread | undefined;
  open(how: Opening): Promise<void>;
  /** Tells the model about the agent, and loads what can wait in the background. */
  prepare(): Promise<void>;
}

/** Makes the agent of a terminal. Threads that it opens get the listeners. */
export function createThreadSlot(
  options: SlotOptions,
  listeners: Required<Pick<ThreadOptions, 'onEvent' | 'ask'>>,
): ThreadSlot {
  const { model, send } = options;
  let agent = options.createAgent();
  let thread: Thread | undefined;
  let opening: Promise<unknown> = Promise.resolve();
  const openThread = (how: ThreadOpening) => openedThread(agent, how, listeners);
  const prepare = () => prepareAgent(agent, options);

  async function openNext(how: Opening): Promise<void> {
    if (how.type === 'again') return openAgain();
    const before = thread;
    // A thread that is open twice would be locked by itself.
    const { id } = how.type === 'resume' && before ? await agent.threads.find({ text: how.thread }) : { id: null };
    if (id !== null && id === before?.id) throw new UserError('nothing_to_do', 'This thread is open already.');
    thread = await openThread(how);
    await before?.close();
    await show(agent, thread, how.type !== 'new', options);
  }

  async function openAgain(): Promise<void> {
    const id = model().thread?.hasTurns ? thread?.id : undefined;
    await agent.close();
    agent = options.createAgent();
    await prepare();
    thread = await openThread(id === undefined ? { type: 'new' } : { type: 'resume', thread: id });
    send({ type: 'thread', thread: { id: thread.id, name: null, hasTurns: id !== undefined }, entries: [] });
  }

  return {
    agent: () => agent,
    opened: () => thread,
    thread: () => required(thread),
    // Two threads that are opened at once would both be shown.
    open(how) {
      const opened = opening.then(() => openNext(how));
      opening = opened.catch(() => undefined);
      return opened;
    },
    prepare,
  };
}

type ThreadOpening = Exclude<Opening, { type: 'again' }>;

function openedThread(agent: Agent, how: ThreadOpening, listeners: ThreadOptions): Promise<Thread> {
  const options = { ...listeners, keepOutputs: true, snapshots: 'background' } as const;
  if (how.type === 'new') return agent.startThread(options);
  const reference = { text: how.thread };
  if (how.type === 'resume') return agent.resumeThread(reference, options);
  return agent.forkThread(reference, { ...options, ...(how.at === undefined ? {} : { at: how.at }) });
}

/** Shows an opened thread: the last turns of an old one, and the draft that belongs to it. */
async function show(agent: Agent, thread: Thread, isOld: boolean, options: SlotOptions): Promise<void> {
  const { send, restoreDraft, firstRequest } = options;
  const { id } = thread;
  const name = isOld ? (await agent.threads.find(id)).name : null;
  const entries = isOld ? await lastTurns(thread) : [];
  send({ type: 'thread', thread: { id, name, hasTurns: isOld }, entries });
  await firstRequest.sent;
  await restoreDraft(isOld ? { thread: id } : { folder: agent.config.cwd });
}

async function prepareAgent(agent: Agent, options: SlotOptions): Promise<void> {
  const { send, worded, env, firstRequest } = options;
  send(readyMessage(agent, options));
  const note = themeNote(agent.config, env);
  if (note !== undefined) send(told(note, 'warning'));
  for (const message of await firstQuestions(agent)) send(message);
  const load = () => loadComforts(agent, send).catch((error: unknown) => send({ type: 'hint', text: worded(error) }));
  void firstRequest.sent.then(() => setTimeout(load));
}

function required(thread: Thread | undefined): Thread {
  if (thread === undefined) throw new UserError('closed', 'The thread is not open yet. Try again in a moment.');
  return thread;
}
