import type { Agent } from '../app/agent.ts';
import type { ReviewTarget } from '../app/commands/review.ts';
import type { Thread } from '../app/thread/thread.ts';
import type { TuiMessage } from './message.ts';
import type { TuiModel } from './model.ts';

/** The way of a thread to be opened. */
export type Opening =
  | { readonly type: 'new' }
  /** The same thread with the configuration as it is now. */
  | { readonly type: 'again' }
  | { readonly type: 'resume'; readonly thread: string }
  | { readonly type: 'fork'; readonly thread: string; readonly at?: number | string };

/** The edge of the terminal: the agent, its open thread, and the way back to the model. */
export interface Session {
  readonly agent: Agent;
  /** The open thread. Throws `UserError` while there is none. */
  readonly thread: Thread;
  /** The model as it is now. */
  readonly model: TuiModel;
  readonly send: (message: TuiMessage) => void;
  /** Runs a review in a thread of its own and shows it like a turn. */
  review(target: ReviewTarget): Promise<readonly TuiMessage[]>;
  /** Closes the open thread and opens another one. */
  open(how: Opening): Promise<void>;
  /** Runs another command of the program on the terminal, such as a sign-in. Returns its exit code. */
  runSelf(args: readonly string[]): Promise<number>;
  /** Writes a thread as Markdown into a file. Returns the path. */
  exportThread(id: string, file: string): Promise<string>;
  /** Variables of the process, which name the editor. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The thread or the folder that a draft belongs to. */
export type DraftPlace = Parameters<Session['agent']['drafts']['read']>[0];
