import type { ThreadCatalogue } from '../../base/thread-store.ts';
import { createTranscript, type TranscriptItem } from '../../events/transcript.ts';
import { createWholeTexts, type WholeCall } from '../../events/whole-texts.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { canonicalLine } from '../thread/canonical-line.ts';
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
  const [loose, ...byTurn] = groups(details.turns, items);
  const turns = details.turns.map((turn, n) => ({
    turn,
    items: byTurn[n] ?? [],
    failure: (turn.id === null ? undefined : texts.failureOf(turn.id)) ?? null,
  }));
  const before = loose === undefined || loose.length === 0 ? [] : [{ turn: null, items: loose, failure: null }];
  return { details, turns: [...before, ...turns] };
}

/** Returns the items before the first turn, then those of each turn. An item without a turn follows the one before it. */
function groups(turns: readonly ThreadTurn[], items: readonly ToldItem[]): ToldItem[][] {
  const found: ToldItem[][] = [[], ...turns.map(() => [])];
  const places = new Map(turns.map(({ id }, n) => [id, n + 1]));
  let at = 0;
  for (const one of items) {
    // In logs whose turns have no ids, each input begins one.
    const begins = one.turnId === null && one.item.type === 'user_message' && turns[at]?.id === null;
    at = begins ? at + 1 : ((one.turnId === null ? undefined : places.get(one.turnId)) ?? at);
    found[at]?.push(one);
  }
  return found;
}
