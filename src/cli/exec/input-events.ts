import type { Event } from '../../base/event.ts';
import type { QueuedInput } from '../../base/input.ts';
import type { ContentPart } from '../../base/item.ts';

/** Events of `exec --json` about queued input. Codex does not have them, and its readers ignore them. */
export type QueueEvent =
  | { readonly type: 'queue.changed'; readonly queue: readonly ShownInput[] }
  | ({ readonly type: 'input.taken' } & ShownInput)
  /** Printed only when another turn may follow. */
  | { readonly type: 'turn.aborted' };

/** Input as people and programs see it. */
export interface ShownInput {
  readonly id: string;
  /** Text of the user, without the texts around each image that are meant for the model. */
  readonly text: string;
  /** Number of images. Absent when there are none. */
  readonly images?: number;
}

/** Returns the printed form of an event about input. Undefined for other events. */
export function toInputEvent(event: Event): QueueEvent | undefined {
  if (event.type === 'queue.changed') return { type: event.type, queue: event.queue.map(shownInput) };
  if (event.type === 'input.taken') return { type: event.type, ...shownInput(event) };
  return event.type === 'turn.aborted' ? { type: event.type } : undefined;
}

export function shownInput({ id, content }: QueuedInput): ShownInput {
  const images = content.filter(isImage).length;
  const texts = content.flatMap((part, index) =>
    part.type === 'input_text' && !isImage(content[index - 1]) && !isImage(content[index + 1]) ? [part.text] : [],
  );
  return { id, text: texts.join('\n\n'), ...(images === 0 ? {} : { images }) };
}

function isImage(part: ContentPart | undefined): boolean {
  return part?.type === 'input_image';
}
