import type { Event } from '../../base/event.ts';
import type { QueuedInput } from '../../base/input.ts';
import type { ContentPart } from '../../base/item.ts';

/** What `exec --json` tells of input that is queued, beside the events of Codex, whose readers pass over it. */
export type InputEvent =
  | { readonly type: 'queue.changed'; readonly queue: readonly ShownInput[] }
  | ({ readonly type: 'input.taken' } & ShownInput)
  /** Told to those who may go on afterwards. */
  | { readonly type: 'turn.aborted' };

/** Input as people and programs are shown it. */
export interface ShownInput {
  readonly id: string;
  /** What the user wrote, without the texts that stand around each image for the model. */
  readonly text: string;
  /** How many, where there are any. */
  readonly images?: number;
}

/** The event as it is told, if it is about input. */
export function toInputEvent(event: Event): InputEvent | undefined {
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
