import type { ThreadCatalogue } from '../../base/thread-store.ts';
import { createTranscript, type TranscriptItem } from '../../events/transcript.ts';
import { createWholeTexts, type WholeCall } from '../../events/whole-texts.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { canonicalLine } from '../thread/canonical-line.ts';
import { groupItems } from '../thread/group-items.ts';
import { createThreads } from './create-threads.ts';
import type { ThreadReference } from './find-thread.ts';
import type { ThreadDetails, ThreadTurn } from './threads.ts';

/** A thread from its first input to its last answer. */
export interface ToldThread {
  readonly details: ThreadDetails;
  readonly turns: readonly ToldTurn[];
}

/** A turn and its items. */
export interface ToldTurn {
  /** Null for items that belong to no turn. */
  readonly turn: ThreadTurn | null;
  readonly items: readonly ToldItem[];
  /** Message of the error that the turn failed with. */
  readonly failure: string | null;
}

/** An item, and the call behind it with nothing cut. */
export interface ToldItem extends TranscriptItem {
  readonly call: WholeCall | null;
}

/** Reads a whole thread for people. The thread may be running. */
export async function tellThread(store: ThreadCatalogue, reference: ThreadReference): Promise<ToldThread> {
  const details = await createThreads(store).show(reference);
  const transcript = createTranscript({ rawReasoning: false });
  const texts = createWholeTexts();
  for await (const { line } of decodeLines(store.read(details.id), canonicalLine)) {
    transcript.apply(line);
    texts.apply(line);
  }
  const items = transcript.items().map((one) => ({ ...one, call: texts.callOf(one.item.id) ?? null }));
  const [loose, ...byTurn] = groupItems(details.turns, items);
  const turns = details.turns.map((turn, n) => ({
    turn,
    items: byTurn[n] ?? [],
    failure: (turn.id === null ? undefined : texts.failureOf(turn.id)) ?? null,
  }));
  const before = loose === undefined || loose.length === 0 ? [] : [{ turn: null, items: loose, failure: null }];
  return { details, turns: [...before, ...turns] };
}
