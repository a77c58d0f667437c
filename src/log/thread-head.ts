import { isFromUser, typedText } from '../base/is-from-user.ts';
import type { Item } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import { isSummary } from '../base/summary.ts';
import { decodeLine } from './rollout-line.ts';

/** Facts near the beginning of a thread. */
export interface ThreadHead {
  /** Model of the first turn. */
  readonly model: string | null;
  /** Beginning of the first user input, on one line. */
  readonly preview: string | null;
}

/** Collector of the head of a thread from its lines, in order. */
export interface ThreadHeadFold {
  /** Reads a line. Returns true when the head is complete. */
  see(line: string): boolean;
  readonly head: ThreadHead;
}

const PREVIEW_CHARACTERS = 200;

export function createThreadHead(): ThreadHeadFold {
  let model: string | null = null;
  let preview: string | null = null;
  return {
    see(text) {
      const line = tryDecode(text);
      if (line?.type === 'turn_context') model ??= stringOr(line.payload.model);
      preview ??= line ? previewOf(line) : null;
      return model !== null && preview !== null;
    },
    get head() {
      return { model, preview };
    },
  };
}

function tryDecode(text: string): LogLine | undefined {
  try {
    return decodeLine(text);
  } catch {
    return undefined;
  }
}

function previewOf(line: LogLine): string | null {
  if (line.type === 'response_item') return itemPreview(line.payload);
  if (line.type !== 'compacted') return null;
  for (const item of line.payload.replacement_history ?? []) {
    const preview = isSummary(item) ? null : itemPreview(item);
    if (preview !== null) return preview;
  }
  return null;
}

/** Returns the beginning of a user message, on one line; null for other items and damaged ones. */
export function itemPreview(item: Item): string | null {
  if (item.type !== 'message' || !Array.isArray(item.content) || !isFromUser(item)) return null;
  const text = typedText(item).replace(/\s+/g, ' ').trim();
  if (text !== '') return [...text.slice(0, 4 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('');
  return item.content.length > 0 ? '[image]' : null;
}

function stringOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
