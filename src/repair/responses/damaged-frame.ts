import type { Frame } from '../../base/wire.ts';
import type { OpenItem } from './open-item.ts';
import type { Damage, ResponsesRepairState } from './response-state.ts';

/** Reads a frame that begins like an event and is not JSON (F9). */
export function takeDamagedFrame(frame: Frame, response: ResponsesRepairState): void {
  response.reporter.report('F9', { before: frame.data, after: '' });
  const type = typeOf(frame);
  // These events hold no part of an item.
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

/** Reports whether a piece of an item may be missing, so that its pieces do not count. */
export function hasHole(item: OpenItem, { damage }: ResponsesRepairState): boolean {
  return damage?.items.has(item) ?? false;
}

/** Notes that content was lost: a piece may be missing in an item that went out or was dropped. */
export function noteLoss({ damage }: ResponsesRepairState): void {
  if (damage !== undefined) damage.isLost = true;
}

/** Reports whether a response that ends with this list of items lacks something. */
export function isLacking({ damage, items }: ResponsesRepairState, output: unknown): boolean {
  if (damage === undefined) return false;
  const isListed = Array.isArray(output) && output.length > 0;
  return damage.isLost || (damage.needsList && !isListed) || items.all.some((item) => isUnsure(item, damage));
}

function isUnsure(item: OpenItem, damage: Damage): boolean {
  return damage.items.has(item) || (item.type === 'call' && item.input.hasHole);
}

/** Returns the type of an event that is not JSON; empty if it is not recognizable. */
function typeOf({ event = '', data }: Frame): string {
  return /"type" ?: ?"(response\.[a-z_.]+)"/.exec(data.slice(0, MAX_TYPE))?.[1] ?? event;
}

/** Reports whether an event is a piece of an item. The end of the item repeats all pieces. */
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
