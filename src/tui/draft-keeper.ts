import { isComposerEmpty } from './composer/composer.ts';
import { type FoldedText, joinFolded, NO_TEXT } from './composer/fold.ts';
import type { DraftKeeper } from './perform.ts';
import type { DraftPlace, Session } from './session.ts';

/** Time after a change until the draft is on disk. */
const SAVE_MS = 200;

/** Returns the keeper of the draft: of the thread once it has a turn, else of the folder. */
export function createDraftKeeper(session: Session): DraftKeeper {
  let timer: NodeJS.Timeout | undefined;
  let last: DraftPlace | undefined;

  function current() {
    clearTimeout(timer);
    timer = undefined;
    const { thread, place, composer, later } = session.model;
    const key = thread?.hasTurns ? { thread: thread.id } : { folder: place.cwd };
    const texts = [...later, composer].filter((one) => !isComposerEmpty(one));
    return { key, draft: texts.reduce(inParagraphs, NO_TEXT), isEmpty: texts.length === 0 };
  }

  async function save(): Promise<void> {
    const { key, draft, isEmpty } = current();
    const { drafts } = session.agent;
    const before = last;
    last = key;
    // A home that cannot be written to must not disturb typing. The turn itself reports it.
    await (isEmpty ? drafts.remove(key) : drafts.write(key, draft)).catch(() => undefined);
    // A draft goes along when the thread has its first turn, or when the user opens another thread.
    if (before !== undefined && !isSame(before, key)) await drafts.remove(before).catch(() => undefined);
  }

  return {
    async restore(place) {
      const draft = await session.agent.drafts.read(place);
      if (draft === null) return;
      last = place;
      session.send({ type: 'restored', draft });
    },
    save() {
      timer ??= setTimeout(save, SAVE_MS);
    },
    flush: save,
    saveNow() {
      const { key, draft } = current();
      try {
        session.agent.drafts.writeSync(key, draft);
      } catch {
        // As above.
      }
    },
  };
}

/**
 * Returns texts as one. Texts that wait for a turn of their own are kept in front of the draft, and come back as a draft: a
 * program that begins must not send anything by itself.
 */
function inParagraphs(before: FoldedText, next: FoldedText): FoldedText {
  const gap = before.text === '' ? NO_TEXT : { text: '\n\n', folds: [] };
  return joinFolded(joinFolded(before, gap), { text: next.text, folds: next.folds });
}

const isSame = (a: DraftPlace, b: DraftPlace) => JSON.stringify(a) === JSON.stringify(b);
