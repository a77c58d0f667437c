import type { Fields } from '../../wire/fields/request-fields.ts';
import { wordOf } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';
import type { BlockKind } from './step.ts';

/** Piece of a block. */
export interface BlockDelta {
  /** Kind of the blocks that have such pieces; undefined for a piece of an unknown type. */
  readonly kind: Exclude<BlockKind, 'other'> | undefined;
  /** The content that a repair looks at; undefined if the piece has none. */
  readonly content: { readonly value: unknown } | undefined;
  /** The delta with its type. */
  readonly delta: Fields;
}

/** Reads the delta of a block (B12). */
export function readBlockDelta(said: Fields, reporter: RepairReporter): BlockDelta {
  const type = wordOf(said.type) ?? typeByFields(said);
  const delta = type === undefined || type === said.type ? said : { ...said, type };
  if (delta !== said) reporter.report('B12', { before: said, after: delta });
  const known = type === undefined ? undefined : DELTAS.get(type);
  const field = known?.field;
  return { kind: known?.kind, content: field === undefined ? undefined : { value: delta[field] }, delta };
}

interface DeltaShape {
  readonly kind: Exclude<BlockKind, 'other'>;
  readonly field?: string;
}

const DELTAS: ReadonlyMap<string, DeltaShape> = new Map([
  ['text_delta', { kind: 'text', field: 'text' }],
  ['thinking_delta', { kind: 'thinking', field: 'thinking' }],
  ['input_json_delta', { kind: 'call', field: 'partial_json' }],
  ['signature_delta', { kind: 'thinking' }],
  ['citations_delta', { kind: 'text' }],
]);

const BY_FIELDS: readonly (readonly [field: string, type: string])[] = [
  ['text', 'text_delta'],
  ['thinking', 'thinking_delta'],
  ['partial_json', 'input_json_delta'],
  ['signature', 'signature_delta'],
];

function typeByFields(delta: Fields): string | undefined {
  return BY_FIELDS.find(([field]) => field in delta)?.[1];
}
