import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Dialect, TextCall } from './dialect.ts';

/**
 * A stretch of a text channel, in the order in which it came. `reasoning` is what stands between think tags or in a
 * channel for it, and all text of the channel `reasoning`.
 */
export type Segment = TextSegment | CallSegment;

export interface TextSegment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
  /** White space at the end of the reasoning, behind a block of calls: it goes where the block goes. */
  readonly trails?: true;
}

/** A block of calls that was taken out of the text. */
export interface CallSegment {
  readonly type: 'calls';
  readonly id: RepairId;
  readonly kind: Dialect['kind'];
  readonly calls: readonly TextCall[];
  /** What the block stood in. */
  readonly within: 'text' | 'reasoning';
  /** The whole block as it came, to be given back as text where the calls are not wanted. */
  readonly raw: string;
  /** The block with the white space before it that was held for it, to be given back in its place among other text. */
  readonly text: string;
}

/** Reads one text channel of one response. Never throws. */
export interface TextScanner {
  /**
   * Takes a text that is answer or reasoning, as asked for, and nothing else, if all of it may go out as it is: `push`
   * would give just that. Otherwise nothing happens. Most of a stream passes here, without anything being made for it.
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
  /** Told of tags and channels; calls are told by their segments, since the caller may not want them. */
  readonly onRepair: (id: RepairId, before: string, after: string) => void;
}
