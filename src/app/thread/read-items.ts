import type { ThreadCatalogue } from '../../base/thread-store.ts';
import type { ShownItemOptions } from '../../events/shown-item.ts';
import { createTranscript, type TranscriptItem } from '../../events/transcript.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { canonicalLine } from './canonical-line.ts';

/** Reads the items of a thread from its log, in the order in which they began. */
export async function readItems(
  store: Pick<ThreadCatalogue, 'read'>,
  id: string,
  options: ShownItemOptions,
): Promise<readonly TranscriptItem[]> {
  const transcript = createTranscript(options);
  for await (const { line } of decodeLines(store.read(id), canonicalLine)) transcript.apply(line);
  return transcript.items();
}
