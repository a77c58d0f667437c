import type { WholeOutput } from '../../base/environment.ts';
import type { ThreadCatalogue } from '../../base/thread-store.ts';
import type { ShownItemOptions } from '../../events/shown-item.ts';
import { createTranscript, type TranscriptItem } from '../../events/transcript.ts';
import { createWholeTexts } from '../../events/whole-texts.ts';
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

/**
 * Reads the output of a command from the log of its thread: the output of the item, or the text that the model read if
 * that has more of it. Returns undefined if there is no such command, or nothing of its output.
 */
export async function readOutput(
  store: Pick<ThreadCatalogue, 'read'>,
  id: string,
  itemId: string,
): Promise<WholeOutput | undefined> {
  const texts = createWholeTexts();
  let shown: string | undefined;
  let told: string | undefined;
  for await (const { line } of decodeLines(store.read(id), canonicalLine)) {
    texts.apply(line);
    if (line.type !== 'oxbow' || (line.payload.kind !== 'item' && line.payload.kind !== 'command.ended')) continue;
    const { item, kind } = line.payload;
    if (item.type !== 'command' || item.id !== itemId) continue;
    shown = item.output;
    told = kind === 'command.ended' ? line.payload.text : undefined;
  }
  if (shown === undefined) return undefined;
  const read = told ?? texts.callOf(itemId)?.output ?? '';
  const isWhole = !CUT.test(shown);
  return { text: isWhole || read.length < shown.length ? shown : read, isWhole };
}

/** The mark of a text whose middle was cut out. */
const CUT = /…\d+ (chars|tokens) truncated…|\n\.\.\. \d+ bytes omitted \.\.\.\n/;
