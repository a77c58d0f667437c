import type { Agent } from '../app/agent.ts';
import type { Loop } from './create-loop.ts';
import { createSession, type EdgeSession, type SessionOptions } from './create-session.ts';
import { createDraftKeeper } from './draft-keeper.ts';
import type { Effect } from './effect.ts';
import { createFileFinder } from './file-finder.ts';
import { createFirstRequest, type FirstRequest } from './first-request.ts';
import { type EffectTerminal, performEffect } from './perform.ts';
import type { DraftPlace, Opening } from './session.ts';

export interface SessionStart {
  createAgent(): Agent;
  /** The thread to begin with. */
  readonly first: FirstOpening;
  readonly allFolders: boolean;
  /** First prompt. Empty: none. */
  readonly prompt: string;
  readonly images: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Whether the terminal has attributes such as bold. */
  readonly attributes: boolean;
  /** Returns the message of an error with advice for the command line. */
  worded(error: unknown): string;
  /** Runs another command of the program on the terminal. */
  runSelf(args: readonly string[]): Promise<number>;
  /** Writes a thread as Markdown into a file. Returns the path. */
  exportThread(id: string, file: string): Promise<string>;
}

/** The thread that a terminal begins with. */
export type FirstOpening =
  | Exclude<Opening, { type: 'again' }>
  | { readonly type: 'pick' | 'last'; readonly verb: 'resume' | 'fork' };

/** A loop and the terminal that it draws on. */
export interface Attached {
  readonly loop: Loop;
  readonly terminal: EffectTerminal;
  /** Draws the last entries and restores the terminal. */
  close(): Promise<void>;
}

/** Runs a session until the user leaves. `attach` connects a loop to the terminal. Returns the exit code. */
export async function runSession(
  options: SessionStart,
  attach: (perform: (effect: Effect) => void, firstRequest: FirstRequest) => Attached,
): Promise<number> {
  const { worded } = options;
  const firstRequest = createFirstRequest(hasPrompt(options));
  const ended = createEnd();
  // Keys that came before the agent was there may have effects, which wait for it.
  const early: Effect[] = [];
  let perform = (effect: Effect): void => void early.push(effect);
  const { loop, terminal, close } = attach((effect) => perform(effect), firstRequest);
  const restoreDraft = (place: DraftPlace) => drafts.restore(place);
  const session = await openSession({ ...options, restoreDraft, firstRequest }, loop, terminal).catch(async (error) => {
    await close();
    throw error;
  });
  const drafts = createDraftKeeper(session);
  const files = createFileFinder(session);
  const parts = { session, terminal, drafts, files, firstRequest, worded, quit: () => ended.end(0) };
  perform = (effect) => performEffect(effect, parts);
  for (const effect of early) perform(effect);
  const stopSignals = onSignals((code) => {
    drafts.saveNow();
    ended.end(code);
  });
  try {
    await begin(session, options).catch((error) => {
      // Without a thread there is nothing to do here.
      if (loop.model().thread === null) throw error;
      loop.send({ type: 'failed', text: worded(error) });
    });
    return await ended.code;
  } finally {
    await drafts.flush();
    await finish(session, loop, close);
    stopSignals();
  }
}

async function openSession(
  options: SessionStart & Pick<SessionOptions, 'restoreDraft' | 'firstRequest'>,
  loop: Loop,
  terminal: EffectTerminal,
): Promise<EdgeSession> {
  const runSelf = (args: readonly string[]) => terminal.lend(() => options.runSelf(args));
  return createSession({ ...options, runSelf, model: loop.model, send: loop.send });
}

const hasPrompt = ({ prompt, images }: SessionStart) => prompt !== '' || images.length > 0;

/** Opens the first thread and sends the first prompt. */
async function begin(session: EdgeSession, options: SessionStart): Promise<void> {
  const { first, allFolders, prompt, images } = options;
  if (hasPrompt(options)) session.send({ type: 'first', text: prompt, images });
  await session.prepare();
  if (!('verb' in first)) return session.open(first);
  if (first.type === 'pick') return session.pick(first.verb, allFolders);
  const thread = await session.agent.lastThread({ anyFolder: allFolders });
  return session.open({ type: first.verb, thread });
}

function createEnd() {
  let end: (code: number) => void = () => {};
  const code = new Promise<number>((resolve) => {
    end = resolve;
  });
  return { code, end: (value: number) => end(value) };
}

const EXIT_CODES = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Calls a function at the first signal that ends the process. A second one ends the process at once. */
function onSignals(call: (code: number) => void): () => void {
  let isFirst = true;
  const listener = (name: NodeJS.Signals) => {
    const code = EXIT_CODES[name as keyof typeof EXIT_CODES];
    if (!isFirst) process.exit(code);
    isFirst = false;
    call(code);
  };
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  for (const name of names) process.on(name, listener);
  return () => {
    for (const name of names) process.off(name, listener);
  };
}

/** Closes everything. The thread stays in the scrollback, and a line says how to go on. */
async function finish(session: EdgeSession, loop: Loop, close: () => Promise<void>): Promise<void> {
  const { thread } = loop.model();
  loop.stop();
  await session.close();
  const text = `To go on: oxbow resume ${thread?.id ?? ''}`;
  if (thread?.hasTurns) loop.send({ type: 'said', entries: [{ kind: 'notice', tone: 'dim', text }] });
  await close();
}
