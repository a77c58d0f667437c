import type { Item } from '../../base/item.ts';
import { roleOf, SECTION_NAMES, type Section } from '../../base/section.ts';
import { message, textPart } from '../state/message.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';

/** Tells the model what has changed of its surroundings since it was last told: all of it, in a new thread. */
export async function recordContext(turn: Turn): Promise<void> {
  const items = await contextItems(turn);
  await turn.note(...items.map((payload) => ({ type: 'response_item', payload }) as const));
}

/** What is to be told to a model that was `told` so much: one item in the developer's name, then one in the user's. */
export async function contextItems(turn: Turn, told: ThreadState['told'] = turn.state.told): Promise<readonly Item[]> {
  const { thread, setup, state, previousModel } = turn;
  const instructions = state.instructions ?? setup.prompt.instructions;
  const sections = await setup.prompt.sections({ previousModel, instructions });
  const news = sections.filter((section) => isNews(section, told.get(section.name)));
  return (['developer', 'user'] as const).flatMap((role) => {
    const parts = inOrder(news).filter(({ name }) => roleOf(name) === role);
    return parts.length === 0
      ? []
      : [
          message(
            thread.world,
            role,
            parts.map(({ text }) => textPart(text)),
          ),
        ];
  });
}

function isNews({ text, implied }: Section, told: string | undefined): boolean {
  return told === undefined ? implied !== true : told !== text;
}

function inOrder(sections: readonly Section[]): readonly Section[] {
  return SECTION_NAMES.flatMap((name) => sections.find((section) => section.name === name) ?? []);
}
