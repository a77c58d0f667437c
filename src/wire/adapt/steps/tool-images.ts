import { isRecord } from '../../../base/json-schema.ts';
import { ATTACHED_IMAGE } from '../../attached-image.ts';
import { sameOr } from '../../edit-fields.ts';
import type { Fields } from '../../request-fields.ts';
import { partText } from '../content.ts';
import { type AdaptWire, editHistory, messageOf } from '../history.ts';
import type { Step } from './step.ts';

/** G8: what results show goes into one message of the user, behind all results that stand together. */
export const toolImages: Step = {
  isOn: ({ toolImages }) => toolImages === 'user',
  apply(body, { wire, report }) {
    const adapted = editHistory(wire, body, (history) => sameOr(history, moveMedia(wire, history)));
    if (adapted !== body) report('G8', 'images in tool results', 'images in a message of the user');
    return adapted;
  },
};

function moveMedia(wire: AdaptWire, history: readonly unknown[]): readonly unknown[] {
  const moved: unknown[] = [];
  let media: unknown[] = [];
  const show = () => {
    if (media.length > 0) moved.push(userMessage(wire, media));
    media = [];
  };
  for (const entry of history) {
    const field = resultField(wire, entry);
    if (field === undefined) show();
    const split = field === undefined ? undefined : splitResult(entry as Fields, field);
    moved.push(split?.result ?? entry);
    media.push(...(split?.media ?? []));
  }
  show();
  return moved;
}

/** Where a result holds what its tool gave; undefined for an entry that is no result. */
function resultField(wire: AdaptWire, entry: unknown): 'content' | 'output' | undefined {
  if (wire === 'chat') return messageOf(wire, entry)?.role === 'tool' ? 'content' : undefined;
  const isResult = isRecord(entry) && typeof entry.type === 'string' && entry.type.endsWith('_call_output');
  return isResult ? 'output' : undefined;
}

/** Undefined for a result that is text alone. */
function splitResult(entry: Fields, field: 'content' | 'output') {
  const parts = entry[field];
  if (!Array.isArray(parts)) return undefined;
  const media = parts.filter((part) => partText(part) === undefined);
  if (media.length === 0) return undefined;
  const texts = parts.map(partText).filter((text) => text !== undefined && text !== '');
  return { result: { ...entry, [field]: [...texts, labelOf(media, texts.length > 0)].join('\n') }, media };
}

function labelOf(media: readonly unknown[], hasText: boolean): string {
  if (!media.some(isImage)) return '[file attached below]';
  return hasText ? '[image attached below]' : ATTACHED_IMAGE;
}

function isImage(part: unknown): boolean {
  return isRecord(part) && typeof part.type === 'string' && part.type.includes('image');
}

function userMessage(wire: AdaptWire, content: readonly unknown[]): object {
  return wire === 'chat' ? { role: 'user', content } : { type: 'message', role: 'user', content };
}
