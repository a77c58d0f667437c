import type { Frame } from '../../base/wire.ts';
import type { OpenItem } from './open-item.ts';
import type { Damage, ResponsesRepairState } from './response-state.ts';

/** A frame that begins like an event and cannot be read. */
export function takeDamagedFrame(frame: Frame, response: ResponsesRepairState): void {
  response.reporter.report('F9', { before: frame.data, after: '' });
  const type = typeOf(frame);
  // Nothing of an item is in these.
  if (type === 'response.created' || type === 'response.in_progress') return;
  const damage: Damage = response.damage ?? { items: new Set(), needsList: false, isEnd: true, isLost: false };
  response.damage = damage;
  const isEnd = type === 'response.completed';
  damage.isEnd &&= isEnd;
  damage.needsList ||= !isEnd && !isPiece(type);
  for (const item of response.items.all) {
    damage.items.add(item);
    if (item.type === 'call') item.input.hasHole = true;
  }
}

/** Whether an item has to be known from something else than its pieces. */
export function hasHole(item: OpenItem, { damage }: ResponsesRepairState): boolean {
  return damage?.items.has(item) ?? false;
}

/** Something was made of pieces of which one may be missing, or was left out for that reason. */
export function noteLoss({ damage }: ResponsesRepairState): void {
  if (damage !== undefined) damage.isLost = true;
}

/** Whether something is missing of a response that ends with this list of items. */
export function isLacking({ damage, items }: ResponsesRepairState, output: unknown): boolean {
  if (damage === undefined) return false;
  const isListed = Array.isArray(output) && output.length > 0;
  return damage.isLost || (damage.needsList && !isListed) || items.all.some((item) => isUnsure(item, damage));
}

function isUnsure(item: OpenItem, damage: Damage): boolean {
  return damage.items.has(item) || (item.type === 'call' && item.input.hasHole);
}

/** The type of an event that cannot be read; empty if it does not say. */
function typeOf({ event = '', data }: Frame): string {
  return /"type" ?: ?"(response\.[a-z_.]+)"/.exec(data.slice(0, MAX_TYPE))?.[1] ?? event;
}

/** Whether an event is about a piece of an item, all of which the end of the item says again. */
function isPiece(type: string): boolean {
  return type.endsWith('.delta') || PIECES.has(type);
}

const MAX_TYPE = 200;
const PIECES: ReadonlySet<string> = new Set([
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.done',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
  'response.reasoning_text.done',
  'response.reasoning_summary_text.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
]);
