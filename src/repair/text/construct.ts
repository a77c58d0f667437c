import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Cursor } from './cursor.ts';
import type { Dialect, TextCall } from './dialect.ts';
import type { MarkdownState } from './markdown-state.ts';
import type { Segment } from './segment.ts';

/** Construct in a text that is more than text: a block of calls, a think tag, a channel. */
export interface Construct {
  /** Texts that may begin the construct. */
  readonly markers: readonly string[];
  /**
   * Whether the construct stands only at the beginning, after nothing but white space. Its markers cost nothing
   * elsewhere.
   */
  readonly atStart: boolean;
  /** Whether a few characters always decide. */
  readonly isShort: boolean;
  /** Reports whether the construct may begin here. */
  applies(state: ScannerState): boolean;
  /** Reads the construct from its marker on. Undefined as soon as it is clear that the text is something else. */
  read(cursor: Cursor, state: ScannerState): Generator<void, ConstructOutcome | undefined, void>;
}

/** State of a scanner at one place of the text. */
export interface ScannerState {
  readonly channel: 'content' | 'reasoning';
  readonly thinking: 'tags' | 'open' | 'text';
  readonly continues: boolean;
  /** Empty if the text is not scanned for calls. */
  readonly tools: ReadonlyMap<string, RepairTool>;
  readonly region: Region;
  /** Whether nothing visible came in this region. */
  readonly fresh: boolean;
  /** Whether a visible text of the answer, or a call, came. */
  readonly said: boolean;
  /** Whether a visible text of the answer came. Calls do not count: they are removed from the text. */
  readonly spoke: boolean;
  /** Number of opening think tags in the text that count as text. */
  readonly openTags: number;
  /** Whether a block of calls came, and nothing after it but what may follow calls. */
  readonly followsCalls: boolean;
  readonly markdown: MarkdownState;
}

/** Kind of the text at one place. */
export interface Region {
  readonly type: 'text' | 'reasoning';
  /** Think tags that end the region. */
  readonly closers: readonly string[];
  /** Whether the header of a channel began the region. */
  readonly inChannel: boolean;
}

/** Result of a construct. */
export type ConstructOutcome = FoundCalls | RegionSwitch | TagMention | EndOfCalls;

export interface FoundCalls {
  readonly type: 'calls';
  readonly id: RepairId;
  readonly kind: Dialect['kind'];
  readonly calls: readonly TextCall[];
}

/** Mark after which the text is of another kind. */
export interface RegionSwitch {
  readonly type: 'switch';
  readonly into: Region;
  readonly repair: RepairId;
  /** Number of line breaks after the mark that belong to it. */
  readonly newlines: number;
  /** Segments between the first and the last mark. */
  readonly parts?: readonly Segment[];
}

/** Tag that is text, and changes how later tags are read. */
interface TagMention {
  readonly type: 'mention';
  /** Change in the number of open think tags in the text. */
  readonly openTags: 1 | -1;
}

/** Text that may follow calls and means nothing to the reader of an answer. */
interface EndOfCalls {
  readonly type: 'end';
}

export const PLAIN_TEXT: Region = { type: 'text', closers: [], inChannel: false };
export const REASONING_CHANNEL: Region = { type: 'reasoning', closers: [], inChannel: false };

/** Returns the construct of a dialect. */
export function dialectConstruct(dialect: Dialect): Construct {
  const { id, kind, markers } = dialect;
  const atStart = kind === 'message';
  return {
    markers,
    atStart,
    isShort: false,
    applies: atStart ? mayBeWholeMessage : notInCode,
    *read(cursor, { tools }) {
      const calls = yield* dialect.read(cursor, tools);
      if (calls === undefined) return undefined;
      if (calls.length > 0) return { type: 'calls', id, kind, calls };
      cursor.endBlock();
      return undefined;
    },
  };
}

function mayBeWholeMessage({ channel, continues, region, fresh, said }: ScannerState): boolean {
  return fresh && !said && !continues && channel === 'content' && region.type === 'text';
}

function notInCode({ markdown }: ScannerState): boolean {
  return !markdown.inCode;
}
