import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, textOf, writtenJson } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import { isBlank } from '../white-space.ts';

/** Reports whether a value is a whole message in place of an event (F13). */
export function isWholeMessage({ type, role, content }: Fields): boolean {
  return (type === 'message' || (type === undefined && role === 'assistant')) && isContent(content);
}

function isContent(content: unknown): boolean {
  return Array.isArray(content) || typeof content === 'string';
}

/** Returns the message inside a value that wraps it (F12). */
export function wrappedMessage(value: Fields): Fields | undefined {
  return WRAPPERS.map((name) => value[name])
    .filter(isRecord)
    .find(isWholeMessage);
}

const WRAPPERS = ['data', 'message', 'response', 'result', 'body'];

/** Returns the events of a stream with the same message. */
export function eventsOf({ content, stop_reason, stop_sequence, ...body }: Fields, reporter: RepairReporter): Fields[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message = { ...body, type: 'message', role: 'assistant', content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: 'message_start', message },
    ...(Array.isArray(blocks) ? blocks : []).filter(isRecord).flatMap((block, index) => {
      return blockEvents(block, index, reporter);
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null },
      usage: body.usage,
    },
    { type: 'message_stop' },
  ];
}

/** Returns the events of one block. */
export function blockEvents(block: Fields, index: number, reporter: RepairReporter): Fields[] {
  const { start, deltas } = (SPLITS.get(block.type) ?? untouched)(block, reporter);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

interface SplitBlock {
  readonly start: Fields;
  readonly deltas: readonly Fields[];
}

type Split = (block: Fields, reporter: RepairReporter) => SplitBlock;

const untouched: Split = (start) => ({ start, deltas: [] });

const SPLITS: ReadonlyMap<unknown, Split> = new Map<unknown, Split>([
  [
    'text',
    ({ text, ...rest }) => ({
      start: { ...rest, text: '' },
      deltas: isFilled(text) ? [{ type: 'text_delta', text }] : [],
    }),
  ],
  [
    'thinking',
    ({ thinking, signature, ...rest }) => ({
      start: { ...rest, thinking: '', signature: '' },
      deltas: [
        ...(isFilled(thinking) ? [{ type: 'thinking_delta', thinking }] : []),
        ...(textOf(signature) === '' ? [] : [{ type: 'signature_delta', signature }]),
      ],
    }),
  ],
  ['tool_use', splitCall],
]);

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function splitCall({ input, ...rest }: Fields, reporter: RepairReporter): SplitBlock {
  const start = { ...rest, input: {} };
  const isText = typeof input === 'string' && !isBlank(input);
  if (isText) reporter.report('I10', { before: input, after: 'an object' });
  const isEmpty = isRecord(input) ? Object.keys(input).length === 0 : !isText;
  const partial_json = isText ? input : (writtenJson(fieldsOf(input)) ?? '');
  return { start, deltas: isEmpty ? [] : [{ type: 'input_json_delta', partial_json }] };
}
