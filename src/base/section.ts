import type { ContentPart, Item } from './item.ts';

/** A part of what the model is told about its work, beside its base instructions. Sent again only when it has changed. */
export interface Section {
  readonly name: SectionName;
  readonly text: string;
  /** The model takes it for granted as long as it was told nothing else under this name. */
  readonly implied?: boolean;
}

/** In the order in which they are told. */
export const SECTION_NAMES = ['developer', 'permissions', 'model', 'agents', 'environment'] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

/** In whose name a section is told. */
export function roleOf(name: SectionName): 'developer' | 'user' {
  return name === 'agents' || name === 'environment' ? 'user' : 'developer';
}

/** How the text of a section begins. `developer` is what a developer message says beside the others and without a tag. */
const OPENINGS: readonly (readonly [SectionName, string])[] = [
  ['permissions', '<permissions instructions>'],
  ['model', '<model_switch>'],
  ['agents', '# AGENTS.md instructions for '],
  ['environment', '<environment_context>'],
];

/** The sections that a message tells. */
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
