import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Dialect, TextCall } from './dialect.ts';

/**
 * Part of a text channel, in the order in which it came. `reasoning` is text between think tags or in a channel for it,
 * and all text of the channel `reasoning`.
 */
export type Segment = TextSegment | CallSegment;

export interface TextSegment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** Block of calls that was removed from the end of a text. */
export interface CallSegment {
  readonly type: 'calls';
  readonly id: RepairId;
  readonly kind: Dialect['kind'];
  readonly calls: readonly TextCall[];
  /** Kind of the text around the block. */
  readonly within: 'text' | 'reasoning';
  /** The block as it came. */
  readonly raw: string;
  /** The block with everything that was removed around it. This is the text if the calls do not count. */
  readonly text: string;
}

/** Scanner of one text channel of one response. Never throws. */
export interface TextScanner {
  /**
   * Accepts a text of the given type if all of it may go out unchanged, as `push` would return it. Otherwise nothing
   * happens. Most of a stream passes here, without an allocation.
   */
  passes(text: string, type: 'text' | 'reasoning'): boolean;
  push(text: string): readonly Segment[];
  /** Ends the text. `isCut`: more of it may have been about to follow, so that no block is known to be a call. */
  end(isCut?: boolean): readonly Segment[];
}

export interface TextScannerOptions {
  readonly channel: 'content' | 'reasoning';
  readonly tools: ReadonlyMap<string, RepairTool>;
  readonly thinking: 'tags' | 'open' | 'text';
  readonly textCalls: boolean;
  /** Whether other text of the message came before, so that no call is the whole message. */
  readonly continues: boolean;
  /** Reports whether the model can have read a call in its input, so that the call in the text only repeats it. */
  readonly isQuoted: (call: TextCall) => boolean;
  /** Called for tags and channels. Calls are reported by their segments, since the caller may not want them. */
  readonly onRepair: (id: RepairId, before: string, after: string) => void;
}
