import type { ContentPart, Item, Role } from '../../base/item.ts';
import type { World } from '../../base/world.ts';
import { shownItem } from '../../events/shown-item.ts';
import type { Turn } from '../turn-setup.ts';

/** Returns a message of ours, with a new id. */
export function message(world: World, role: Role, content: readonly ContentPart[]): Item {
  return { type: 'message', id: `msg_${world.uuid()}`, role, content };
}

export function textPart(text: string): ContentPart {
  return { type: 'input_text', text };
}

/** Returns the texts of an input, as people see them. */
export function inputText(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'input_text' ? part.text : '')).join('');
}

/** Shows a message of the user that went into the history. */
export function showInput({ emit }: Pick<Turn, 'emit'>, item: Item): void {
  const shown = shownItem(item, { rawReasoning: false });
  if (shown) emit({ type: 'item.completed', item: shown });
}
