import type { Item } from '../../base/item.ts';
import { roleOf, SECTION_NAMES, type Section, type SectionName } from '../../base/section.ts';
import { message, textPart } from '../state/message.ts';
import type { Turn } from '../turn-setup.ts';

/** The last text of each section that the model got. */
export type SentSections = ReadonlyMap<SectionName, string>;

/** Records the sections that have changed since the model last got them. In a new thread, that is all of them. */
export async function recordContext(turn: Turn): Promise<void> {
  const items = await contextItems(turn);
  await turn.note(...items.map((payload) => ({ type: 'response_item', payload }) as const));
}

/**
 * Returns the items with the sections that differ from those already sent: one developer message, then one user
 * message.
 */
export async function contextItems(turn: Turn, sent: SentSections = turn.state.told): Promise<readonly Item[]> {
  const { thread, setup, state, previousModel } = turn;
  const instructions = state.instructions ?? setup.prompt.instructions;
  const sections = await setup.prompt.sections({ previousModel, instructions });
  const news = sections.filter((section) => isNews(section, sent.get(section.name)));
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

function isNews({ text, implied }: Section, sent: string | undefined): boolean {
  return sent === undefined ? implied !== true : sent !== text;
}

function inOrder(sections: readonly Section[]): readonly Section[] {
  return SECTION_NAMES.flatMap((name) => sections.find((section) => section.name === name) ?? []);
}
