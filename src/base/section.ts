import type { ContentPart, Item } from './item.ts';

/** A part of the model's context besides its base instructions. Sent again only when it has changed. */
export interface Section {
  readonly name: SectionName;
  readonly text: string;
  /** Whether the model assumes this text until it gets another one under the same name. */
  readonly implied?: boolean;
}

/** Names in the order in which the sections are sent. */
export const SECTION_NAMES = ['developer', 'permissions', 'model', 'agents', 'environment'] as const;

/** The name of a part of the context that the model gets. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** Returns the role of the message that contains a section. */
export function roleOf(name: SectionName): 'developer' | 'user' {
  return name === 'agents' || name === 'environment' ? 'user' : 'developer';
}

/**
 * Opening words of each section. A text of a developer message without any of these tags is the section `developer`.
 */
const OPENINGS: readonly (readonly [SectionName, string])[] = [
  ['permissions', '<permissions instructions>'],
  ['model', '<model_switch>'],
  ['agents', '# AGENTS.md instructions for '],
  ['environment', '<environment_context>'],
];

/** Returns the sections that a message contains. */
export function sectionsIn(item: Item): readonly Section[] {
  if (item.type !== 'message' || (item.role !== 'user' && item.role !== 'developer')) return [];
  const { role } = item;
  return item.content.flatMap((part) => sectionIn(part, role) ?? []);
}

function sectionIn(part: ContentPart, role: 'developer' | 'user'): Section | undefined {
  if (part.type !== 'input_text') return undefined;
  const { text } = part;
  const known = OPENINGS.find(([name, opening]) => roleOf(name) === role && text.startsWith(opening))?.[0];
  const name = known ?? (role === 'developer' && !text.startsWith('<') ? 'developer' : undefined);
  return name && { name, text };
}
