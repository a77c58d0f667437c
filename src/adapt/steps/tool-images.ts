import { isRecord } from '../../base/json-schema.ts';
import { sameOr } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { ATTACHED_FILE, ATTACHED_IMAGE } from '../../wire/lowering/attached-media.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import { partText } from '../content.ts';
import { editHistory } from '../history.ts';
import type { AdaptStep } from './step.ts';

/** G8: images and files in results are moved into one user message after consecutive results. */
export const toolImages: AdaptStep = {
  isOn: ({ toolImages }) => toolImages === 'user',
  apply(body, { rules, report }) {
    const adapted = editHistory(rules, body, (history) => sameOr(history, moveMedia(rules, history)));
    if (adapted !== body) report('G8', 'images in tool results', 'images in a message of the user');
    return adapted;
  },
};

function moveMedia(rules: AdaptRules, history: readonly unknown[]): readonly unknown[] {
  const moved: unknown[] = [];
  let media: unknown[] = [];
  const show = () => {
    if (media.length > 0) moved.push(rules.message('user', media));
    media = [];
  };
  for (const entry of history) {
    const field = rules.resultField(entry);
    if (field === undefined) show();
    const split = field === undefined ? undefined : splitResult(entry as Fields, field);
    moved.push(split?.result ?? entry);
    media.push(...(split?.media ?? []));
  }
  show();
  return moved;
}

/** Splits a result into its text and its media; undefined for a result that is only text. */
function splitResult(entry: Fields, field: string) {
  const parts = entry[field];
  if (!Array.isArray(parts)) return undefined;
  const media = parts.filter((part) => partText(part) === undefined);
  if (media.length === 0) return undefined;
  const texts = parts.map(partText).filter((text) => text !== undefined && text !== '');
  return { result: { ...entry, [field]: [...texts, labelOf(media, texts.length > 0)].join('\n') }, media };
}

function labelOf(media: readonly unknown[], hasText: boolean): string {
  if (!media.some(isImage)) return ATTACHED_FILE;
  return hasText ? '[image attached below]' : ATTACHED_IMAGE;
}

function isImage(part: unknown): boolean {
  return isRecord(part) && typeof part.type === 'string' && part.type.includes('image');
}
