import type { Item, Role } from '../base/item.ts';
import { SECTION_NAMES, type Section } from '../base/section.ts';
import { message, textPart } from './message.ts';
import type { Turn } from './turn-setup.ts';

/** Tells the model what has changed of its surroundings since it was last told: all of it, in a new thread. */
export async function tellContext(turn: Turn): Promise<void> {
  const { setup, state } = turn;
  const sections = await setup.prompt.sections(turn.previousModel);
  const changed = sections.filter(({ name, text }) => state.told.get(name) !== text);
  for (const role of ['developer', 'user'] as const) {
    const parts = inOrder(changed.filter(({ name }) => roleOf(name) === role));
    if (parts.length > 0) await turn.record({ type: 'response_item', payload: contextItem(turn, role, parts) });
  }
}

function roleOf(name: Section['name']): Role {
  return name === 'agents' || name === 'environment' ? 'user' : 'developer';
}

function inOrder(sections: readonly Section[]): readonly Section[] {
  return SECTION_NAMES.flatMap((name) => sections.find((section) => section.name === name) ?? []);
}

function contextItem(turn: Turn, role: Role, sections: readonly Section[]): Item {
  const content = sections.map(({ text }) => textPart(text));
  return message(turn.setup.world, role, content);
}
