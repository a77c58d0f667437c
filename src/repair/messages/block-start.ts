import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { isSet, textOf, wordOf, writtenJson } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import { isBlank } from '../white-space.ts';
import { type BlockKind, eventFrame, type MessageFrame } from './step.ts';

/** Beginning of a block, without the content that belongs into pieces of its own. */
export interface BlockStart {
  readonly kind: BlockKind;
  readonly frame: MessageFrame;
  /** Content that came with the beginning. */
  readonly text: string;
  readonly input: string;
  readonly signature: string;
}

/** Reads the beginning of a block (I1, B12). Undefined if it does not say which kind of block begins. */
export function readBlockStart(frame: MessageFrame, reporter: RepairReporter): BlockStart | undefined {
  const said = frame.json.content_block;
  if (!isRecord(said)) return undefined;
  const type = wordOf(said.type) ?? typeByFields(said);
  const shape = type === undefined ? undefined : SHAPES.get(type);
  if (shape === undefined) return type === undefined ? undefined : { kind: 'other', frame, ...NOTHING };
  const { kind, empty, contentOf } = shape;
  const content = { ...NOTHING, ...contentOf(said) };
  const fixed = Object.entries({ type, ...empty(said) }).filter(([name, value]) => !isSame(said[name], value));
  if (fixed.length === 0) return { kind, frame, ...content };
  const block = { ...said, ...Object.fromEntries(fixed) };
  const hasContent = [content.text, content.input, content.signature].some((text) => text !== '');
  reporter.report(hasContent ? 'I1' : 'B12', { before: said, after: hasContent ? 'pieces' : block });
  return { kind, frame: eventFrame({ ...frame.json, content_block: block }), ...content };
}

/** Returns the beginning of a block that its server did not announce. */
export function missingStart(kind: Exclude<BlockKind, 'other'>, index: number): Fields {
  return { type: 'content_block_start', index, content_block: EMPTY[kind] };
}

const EMPTY: Readonly<Record<Exclude<BlockKind, 'other'>, Fields>> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
  call: { type: 'tool_use', id: '', name: '', input: {} },
};

const NOTHING = { text: '', input: '', signature: '' };

interface BlockShape {
  readonly kind: Exclude<BlockKind, 'other'>;
  /** Returns the fields of the block that must be empty at its beginning. */
  empty(block: Fields): Fields;
  contentOf(block: Fields): Partial<typeof NOTHING>;
}

const SHAPES: ReadonlyMap<string, BlockShape> = new Map([
  ['text', { kind: 'text', empty: () => ({ text: '' }), contentOf: ({ text }) => ({ text: textOf(text) }) }],
  [
    'thinking',
    {
      kind: 'thinking',
      empty: ({ signature }) => ({ thinking: '', ...(isSet(signature) && { signature: '' }) }),
      contentOf: ({ thinking, signature }) => ({ text: textOf(thinking), signature: textOf(signature) }),
    },
  ],
  ['tool_use', { kind: 'call', empty: () => ({ input: {} }), contentOf: ({ input }) => ({ input: inputText(input) }) }],
]);

/** Returns the input of a call as a text; empty if it has none. */
function inputText(input: unknown): string {
  if (typeof input === 'string') return isBlank(input) ? '' : input;
  return isRecord(input) && Object.keys(input).length > 0 ? (writtenJson(input) ?? '') : '';
}

function isSame(said: unknown, value: unknown): boolean {
  return isRecord(value) ? isRecord(said) && Object.keys(said).length === 0 : said === value;
}

function typeByFields(block: Fields): string | undefined {
  if (typeof block.name === 'string') return 'tool_use';
  return ['thinking', 'text'].find((name) => typeof block[name] === 'string');
}
