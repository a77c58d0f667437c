import type { Answer, Event } from '../base/event.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import type { FoldedText } from './composer/fold.ts';
import type { InputEvent } from './input/input-event.ts';
import type { ListRow } from './list.ts';
import type { Look, OpenPager, OpenThread, ShownSettings, WorkPlace } from './model.ts';
import type { PagerBlock } from './pager/pager-block.ts';
import type { Size } from './screen/frame.ts';
import type { KeyBindings } from './update/key-bindings.ts';
import type { Entry } from './view/entry.ts';

/** A draft of an earlier process. */
export interface RestoredDraft extends FoldedText {
  /** Texts that waited for turns of their own. */
  readonly waiting?: readonly FoldedText[];
}

/** Something that happened: the only way in which the model changes. */
export type TuiMessage =
  | { readonly type: 'input'; readonly event: InputEvent; readonly at: number }
  | { readonly type: 'event'; readonly event: Event; readonly at: number }
  /** A second has passed. */
  | { readonly type: 'tick'; readonly at: number }
  | { readonly type: 'resized'; readonly size: Size }
  /** A frame with the first entries of the outbox was handed to the screen. */
  | { readonly type: 'drawn'; readonly entries: number }
  /** The agent is there. */
  | {
      readonly type: 'ready';
      readonly place: WorkPlace;
      readonly look: Look;
      readonly keys: KeyBindings;
      readonly settings: ShownSettings;
    }
  /** The work of a command that opens another thread has ended. If it failed, the thread of before goes on. */
  | { readonly type: 'opened' }
  | { readonly type: 'thread'; readonly thread: OpenThread; readonly entries: readonly Entry[] }
  /** The first prompt, from the command line. */
  | { readonly type: 'first'; readonly text: string; readonly images: readonly string[] }
  | { readonly type: 'prompts'; readonly prompts: readonly string[] }
  | { readonly type: 'settings'; readonly settings: Partial<ShownSettings>; readonly overrides?: TurnOverrides }
  | { readonly type: 'look'; readonly look: Partial<Look> }
  | { readonly type: 'branch'; readonly branch: string | null }
  /** Entries for the scrollback. */
  | { readonly type: 'said'; readonly entries: readonly Entry[] }
  /** Rows for the list of a command, if it is still open. */
  | { readonly type: 'rows'; readonly command: string; readonly rows: readonly ListRow[] }
  /** A list that a command opens by itself. `isAsked`: the user did not ask for it. */
  | {
      readonly type: 'choose';
      readonly command: string;
      readonly title: string;
      readonly rows: readonly ListRow[];
      readonly isAsked?: boolean;
    }
  /** The row of the open list that was chosen by its number. A number without a row closes the list. */
  | { readonly type: 'pick'; readonly index: number }
  | { readonly type: 'answer'; readonly askId: string; readonly answer: Answer }
  | { readonly type: 'files'; readonly query: string; readonly rows: readonly ListRow[] }
  | ({ readonly type: 'page' } & OpenPager)
  /** Blocks of earlier turns, for the pager that asked for them. */
  | { readonly type: 'earlier'; readonly blocks: readonly PagerBlock[]; readonly before: string | null }
  /** Text for the composer: from an editor, or a draft that comes back. */
  | { readonly type: 'draft'; readonly text: string }
  /** The draft of an earlier process, unless the user has typed since. */
  | { readonly type: 'restored'; readonly draft: RestoredDraft }
  | { readonly type: 'image'; readonly path: string; readonly label: string }
  | { readonly type: 'hint'; readonly text: string }
  /** A turn could not run. */
  | { readonly type: 'failed'; readonly text: string }
  /** A command line without its slash. */
  | { readonly type: 'slash'; readonly line: string }
  | { readonly type: 'leave' };
