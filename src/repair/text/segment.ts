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
  /**
   * Whether this is white space at the end of the reasoning, after a block of calls. It stays only if the block does.
   */
  readonly trails?: true;
}

/** Block of calls that was removed from the text. */
export interface CallSegment {
  readonly type: 'calls';
  readonly id: RepairId;
  readonly kind: Dialect['kind'];
  readonly calls: readonly TextCall[];
  /** Kind of the text around the block. */
  readonly within: 'text' | 'reasoning';
  /** The whole block as it came, for use as text if the calls do not count. */
  readonly raw: string;
  /** The block with the white space that was held before it, for use in its place among other text. */
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
  end(): readonly Segment[];
}

export interface TextScannerOptions {
  readonly channel: 'content' | 'reasoning';
  readonly tools: ReadonlyMap<string, RepairTool>;
  readonly thinking: 'tags' | 'open' | 'text';
  readonly textCalls: boolean;
  readonly jsonAnswer: boolean;
  /** Called for tags and channels. Calls are reported by their segments, since the caller may not want them. */
  readonly onRepair: (id: RepairId, before: string, after: string) => void;
}
