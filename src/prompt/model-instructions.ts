import { joinTexts } from './join-texts.ts';
import other from './models/other.md';
import otherPatch from './models/other-patch.md';
import trained from './models/trained.md';

/** Family of models that get the same text: those that were trained with such tools, and all others. */
export type ModelFamily = 'trained' | 'other';

interface FamilyTexts {
  readonly always: string;
  /** Text for requests that offer `apply_patch`. */
  readonly patch?: string;
}

const FAMILIES: Readonly<Record<ModelFamily, FamilyTexts>> = {
  trained: { always: trained },
  other: { always: other, patch: otherPatch },
};

/** Returns the text that only models of this family get. */
export function modelInstructions(family: ModelFamily, offered: ReadonlySet<string>): string {
  const { always, patch = '' } = FAMILIES[family];
  return joinTexts([always, offered.has('apply_patch') ? patch : '']);
}

/** Returns the family whose text is part of base instructions. Undefined: Oxbow did not write them. */
export function familyIn(instructions: string): ModelFamily | undefined {
  const families = Object.keys(FAMILIES) as ModelFamily[];
  return families.find((family) => instructions.includes(FAMILIES[family].always.trim()));
}

/** Returns the text for a model that takes over from another one, for which the base instructions were written. */
export function modelSwitch(family: ModelFamily, offered: ReadonlySet<string>): string {
  return `<model_switch>
From here on another model answers: you. What was said before on calling tools was meant for the one before you. For you this counts instead:

${modelInstructions(family, offered)}
</model_switch>`;
}
