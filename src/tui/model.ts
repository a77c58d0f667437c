import type { Ask, PlanItem, ThreadItem } from '../base/event.ts';
import type { QueuedInput } from '../base/input.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { OpenMarkdown } from '../markdown/push-markdown.ts';
import type { Composer } from './composer/composer.ts';
import type { Recall } from './composer/recall.ts';
import type { List } from './list.ts';
import type { Pager } from './pager/pager.ts';
import type { Size } from './screen/frame.ts';
import type { KeyBindings } from './update/key-bindings.ts';
import type { Entry } from './view/entry.ts';
import type { Theme } from './view/themes.ts';
import type { BlockRenderer } from './view/view-options.ts';

/** State of the terminal, plain data. Everything that is shown follows from it. */
export interface TuiModel {
  readonly size: Size;
  readonly look: Look;
  readonly place: WorkPlace;
  readonly settings: ShownSettings;
  /** Approvals and sandbox of the configuration. */
  readonly configured: Pick<ShownSettings, 'approval' | 'sandbox'>;
  /** Settings that the user chose here, for each turn from now on. */
  readonly overrides: TurnOverrides;
  /** `starting`: no thread is open yet. `leaving`: the last frame is drawn. */
  readonly stage: 'starting' | 'ready' | 'leaving';
  readonly thread: OpenThread | null;
  /** Whether a command opens another thread. Input and commands wait for it, since the open thread is about to close. */
  readonly isOpening: boolean;
  readonly composer: Composer;
  /** Place in the history of prompts, while the user goes through it. */
  readonly recall: Recall | null;
  /** Prompts of all threads, newest first. */
  readonly prompts: readonly string[];
  /** Entries that the next frame writes above the live region, for good. */
  readonly outbox: readonly Entry[];
  /** Last entry before the outbox, which decides about the blank row after it. */
  readonly lastEntry: Entry | null;
  readonly turn: RunningTurn | null;
  /** Items that have begun and not ended, in order. */
  readonly items: readonly ProgressItem[];
  /** Last plan of the thread. It is live while its turn runs. */
  readonly plan: PlanItem | null;
  readonly isPlanLive: boolean;
  /** Last message of the model, for /copy. */
  readonly answer: string;
  readonly lastCommand: string | null;
  /** Inputs that were sent and are not in the history yet. */
  readonly sending: readonly string[];
  /** Inputs that the running turn takes with its next request. */
  readonly steered: readonly QueuedInput[];
  /** Inputs for the turns after this one. */
  readonly later: readonly Composer[];
  /** Whether these came from an earlier process. Then they wait for a turn that the user begins. */
  readonly isHeld: boolean;
  /** Slash commands that wait for the end of the turn. */
  readonly delayed: readonly string[];
  readonly questions: readonly QuestionState[];
  readonly list: List | null;
  readonly pager: OpenPager | null;
  /** Item that is folded and was committed last, for Ctrl-O. */
  readonly folded: ThreadItem | null;
  /** Sentence below the composer, until the next key. */
  readonly hint: string | null;
  /** Time of the last Ctrl-C or Escape that did nothing but warn. */
  readonly armed: { readonly key: 'stop' | 'rewind'; readonly at: number } | null;
  readonly lastKeyAt: number;
  readonly now: number;
  /** Whether the terminal has the focus. Null: it does not say. */
  readonly focused: boolean | null;
  readonly keys: KeyBindings;
}

/** Facts about the terminal and the wishes of the user that decide how things look. */
export interface Look {
  readonly wrap: 'words' | 'terminal';
  readonly unicode: boolean;
  readonly hyperlinks: boolean;
  /** Whether the terminal has attributes such as bold. */
  readonly attributes: boolean;
  /** Renders Markdown, once it is loaded. Null: it could not be loaded. */
  readonly renderBlock?: BlockRenderer | null;
  /** Whether notifications are sent while the terminal has no focus. */
  readonly notifies: boolean;
  /** Name of the theme. */
  readonly theme: string;
  /** Themes of the user. */
  readonly themes: Readonly<Record<string, Theme>>;
}

/** The folder that the agent works in. */
export interface WorkPlace {
  readonly cwd: string;
  /** The folder for people: `~/project`. */
  readonly shown: string;
  readonly branch: string | null;
}

/** Settings and figures of the status line. */
export interface ShownSettings {
  readonly model: string;
  readonly provider: string;
  readonly effort: string | null;
  readonly approval: string;
  readonly sandbox: string;
  /** Tokens of the thread so far. */
  readonly tokens: number;
  /** In US dollars. Null: a price is unknown. */
  readonly cost: number | null;
  /** Percent of the model's window that is left. Null: the window is unknown. */
  readonly contextLeft: number | null;
  /** Terminals of the thread that run. */
  readonly terminals: number;
}

export interface OpenThread {
  readonly id: string;
  readonly name: string | null;
  /** Whether the thread has a turn already. */
  readonly hasTurns: boolean;
}

export interface RunningTurn {
  readonly startedAt: number;
  /** Work besides thinking, such as a retry, in a few words. */
  readonly note: string | null;
  readonly isInterrupted: boolean;
}

/** An item in progress. */
export type ProgressItem =
  | LiveMessage
  | { readonly kind: 'reasoning'; readonly id: string; readonly text: string }
  | {
      readonly kind: 'command';
      readonly id: string;
      readonly item: ThreadItem;
      readonly tail: string;
      readonly startedAt: number;
    }
  | {
      readonly kind: 'other';
      readonly id: string;
      readonly item: ThreadItem;
      readonly note: string | null;
      readonly startedAt: number;
    };

/** A message that arrives. Finished blocks leave it for the outbox. */
export interface LiveMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly markdown: OpenMarkdown;
  /** Whether a part of it was committed. */
  readonly isShown: boolean;
}

/** A question of the thread. The first one of the list is shown. */
export interface QuestionState {
  readonly ask: Ask;
  readonly openedAt: number;
  /** Whether keys go to the question. */
  readonly hasFocus: boolean;
  /** Whether the action was shown to its end. A yes is possible only then. */
  readonly isSeen: boolean;
  /** Row of the choices that is marked. */
  readonly selected: number;
  /** Words for the model with a no. Null: a no was not chosen yet. */
  readonly refusal: Composer | null;
}

/** A pager, and the reason why it is open. */
export interface OpenPager {
  readonly pager: Pager;
  /** Place in the log before the first block of a transcript. Null: there is nothing before, or the document is not a transcript. */
  readonly before: string | null;
  /** Whether entries for the scrollback are added to it too. */
  readonly follows: boolean;
  /** Question that is seen once its end was reached. */
  readonly askId: string | null;
}
