import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import type { Cursor } from './cursor.ts';
import type { Dialect, TextCall } from './dialect.ts';
import type { MarkdownState } from './markdown-state.ts';
import type { Segment } from './segment.ts';

/** Something in a text that is more than text: a block of calls, a think tag, a channel. */
export interface Construct {
  /** Texts that may begin it. */
  readonly markers: readonly string[];
  /** Found only where nothing but white space came before; its markers cost nothing elsewhere. */
  readonly atStart: boolean;
  /** Takes a few characters to tell, wherever it is tried. */
  readonly isShort: boolean;
  /** Whether it may begin here. */
  applies(state: ScannerState): boolean;
  /** Reads it from the marker on. Undefined as soon as it is clear that it is none. */
  read(cursor: Cursor, state: ScannerState): Generator<void, ConstructOutcome | undefined, void>;
}

/** What is known at a place of the text. */
export interface ScannerState {
  readonly channel: 'content' | 'reasoning';
  readonly thinking: 'tags' | 'open' | 'text';
  readonly jsonAnswer: boolean;
  /** Empty where no calls are looked for. */
  readonly tools: ReadonlyMap<string, RepairTool>;
  readonly region: Region;
  /** Nothing visible came in this region. */
  readonly fresh: boolean;
  /** A visible text of the answer or a call came. */
  readonly said: boolean;
  /** A visible text of the answer came: calls are taken out of it, so they leave its beginning where it was. */
  readonly spoke: boolean;
  /** How many opening think tags stand in the text as text. */
  readonly openTags: number;
  readonly markdown: MarkdownState;
}

/** What the text is at a place. */
export interface Region {
  readonly type: 'text' | 'reasoning';
  /** The think tags that end it. */
  readonly closers: readonly string[];
  /** Begun by the header of a channel. */
  readonly inChannel: boolean;
}

/** What was found. */
export type ConstructOutcome = FoundCalls | RegionSwitch | TagMention;

export interface FoundCalls {
  readonly type: 'calls';
  readonly id: RepairId;
  readonly kind: Dialect['kind'];
  readonly calls: readonly TextCall[];
}

/** The text is another from here on. */
export interface RegionSwitch {
  readonly type: 'switch';
  readonly into: Region;
  readonly repair: RepairId;
  /** How many line breaks after it belong to it. */
  readonly newlines: number;
  /** What stood between its first and its last mark. */
  readonly parts?: readonly Segment[];
}

/** It is text, and what follows is read with it in mind. */
interface TagMention {
  readonly type: 'mention';
  /** What it adds to the think tags that stand open in the text. */
  readonly openTags: 1 | -1;
}

export const PLAIN_TEXT: Region = { type: 'text', closers: [], inChannel: false };

/** The calls of a dialect. */
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

function mayBeWholeMessage({ channel, jsonAnswer, region, fresh, said }: ScannerState): boolean {
  return fresh && !said && !jsonAnswer && channel === 'content' && region.type === 'text';
}

function notInCode({ markdown }: ScannerState): boolean {
  return !markdown.inCode;
}
