import { isComposerEmpty } from './composer/composer.ts';
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
    const { thread, place, composer } = session.model;
    const key = thread?.hasTurns ? { thread: thread.id } : { folder: place.cwd };
    return { key, draft: { text: composer.text, folds: composer.folds }, isEmpty: isComposerEmpty(composer) };
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

const isSame = (a: DraftPlace, b: DraftPlace) => JSON.stringify(a) === JSON.stringify(b);
