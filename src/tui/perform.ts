import { COMMANDS } from './commands/index.ts';
import type { EdgeSession } from './create-session.ts';
import type { Effect } from './effect.ts';
import type { FirstRequest } from './first-request.ts';
import type { ScreenTerminal } from './open-terminal.ts';
import { clipboardSequence, notificationSequence } from './screen/sequences.ts';
import type { DraftPlace } from './session.ts';
import { editedAnswer } from './update/question.ts';

/** Things besides the thread that effects act on. */
export interface EffectParts {
  readonly session: EdgeSession;
  readonly terminal: EffectTerminal;
  readonly drafts: DraftKeeper;
  readonly files: FileFinder;
  readonly firstRequest: FirstRequest;
  /** Returns the worded message of an error. */
  worded(error: unknown): string;
  quit(): void;
}

/** The terminal as effects use it. */
export interface EffectTerminal extends Pick<ScreenTerminal, 'lend' | 'suspend'> {
  /** Writes a sequence outside the frames. */
  send(sequence: string): void;
  redraw(): void;
}

/** Keeps the draft on disk. */
export interface DraftKeeper {
  /** Brings back the draft of an earlier process. */
  restore(place: DraftPlace): Promise<void>;
  /** Saves the draft a little later. */
  save(): void;
  /** Saves the draft, or removes an empty one. Resolves when that is done. */
  flush(): Promise<void>;
  /** Saves the draft now, also while the process ends. */
  saveNow(): void;
}

/** Finds files for `@`. */
export interface FileFinder {
  search(query: string): void;
}

/** Does what the model asks for. Failures become sentences for the user. */
export function performEffect(effect: Effect, parts: EffectParts): void {
  const perform = EFFECTS[effect.type] as (effect: Effect, parts: EffectParts) => unknown;
  const fail = (error: unknown) => parts.session.fail(parts.worded(error));
  try {
    Promise.resolve(perform(effect, parts)).catch(fail);
  } catch (error) {
    fail(error);
  }
}

type Effects = {
  readonly [T in Effect['type']]: (effect: Extract<Effect, { type: T }>, parts: EffectParts) => unknown;
};

const EFFECTS: Effects = {
  run: ({ input, overrides }, { session }) => session.run(input, overrides),
  steer: ({ input }, { session }) => session.thread.steer(input),
  async take_back({ id, text }, { session }) {
    const isTaken = await session.thread.removeQueued(id);
    session.send(isTaken ? { type: 'draft', text } : { type: 'hint', text: 'The model has it already.' });
  },
  interrupt: (_, { session }) => session.interrupt(),
  answer: ({ askId, answer }, { session }) => session.answer(askId, answer),
  user_command: ({ script }, { session }) => session.runCommand(script),
  edit,
  async paste_image(_, { session }) {
    const { readClipboardImage } = await import('../app/commands/clipboard-image.ts');
    const image = await readClipboardImage(session.env);
    if (image.type === 'image') session.send({ type: 'image', path: image.path, label: image.label });
    else session.send({ type: 'hint', text: image.why });
  },
  find_files: ({ query }, { files }) => files.search(query),
  async perform({ command, task, opens }, { session }) {
    try {
      const messages = (await COMMANDS[command]?.perform?.(session, task)) ?? [];
      for (const message of messages) session.send(message);
    } finally {
      if (opens) session.send({ type: 'opened' });
    }
  },
  slash: ({ line }, { session }) => session.send({ type: 'slash', line }),
  copy: ({ text }, { terminal }) => terminal.send(clipboardSequence(text)),
  notify({ text }, { session, terminal }) {
    const { focused, look, place } = session.model;
    if (look.notifies && focused !== true) terminal.send(notificationSequence(`${place.shown}: ${text}`));
  },
  async remember({ text }, { session, firstRequest }) {
    await firstRequest.sent;
    await session.agent.promptHistory.add(text, session.model.thread?.id ?? '');
  },
  save_draft: (_, { drafts }) => drafts.save(),
  redraw: (_, { terminal }) => terminal.redraw(),
  suspend: (_, { terminal }) => terminal.suspend(),
  quit: (_, { quit }) => quit(),
};

/** Opens the draft, or the script of a question, in the user's editor. */
async function edit(
  { text, askId }: Extract<Effect, { type: 'edit' }>,
  { session, terminal }: EffectParts,
): Promise<void> {
  const { editDraft, editText } = await import('../app/commands/edit-text.ts');
  const open = askId === null ? editDraft : editText;
  const edited = await terminal.lend(() => open(text, session.env, new AbortController().signal));
  if (edited.type === 'unedited') return session.send({ type: 'hint', text: edited.why });
  if (askId === null) return session.send({ type: 'draft', text: edited.text });
  const question = session.model.questions.find(({ ask }) => ask.id === askId);
  if (question === undefined) session.send({ type: 'hint', text: 'The question was answered meanwhile.' });
  else session.answer(askId, editedAnswer(question.ask, edited.text));
}
