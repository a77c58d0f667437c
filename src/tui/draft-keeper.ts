import { isComposerEmpty } from './composer/composer.ts';
import type { FoldedText } from './composer/fold.ts';
import type { TuiModel } from './model.ts';
import type { DraftKeeper } from './perform.ts';
import type { DraftPlace, Session } from './session.ts';

/** Time after a change until the draft is on disk. */
const SAVE_MS = 200;

/** Returns the keeper of the draft: of the thread once it has a turn, else of the folder. */
export function createDraftKeeper(session: Session): DraftKeeper {
  let timer: NodeJS.Timeout | undefined;
  let last: DraftPlace | undefined;
  /** Places whose earlier draft is being read, or was read: null. Writing before that would lose it. */
  const reading = new Map<string, Promise<void> | null>();

  function current() {
    clearTimeout(timer);
    timer = undefined;
    return unsent(session.model);
  }

  async function read(place: DraftPlace): Promise<void> {
    const draft = await session.agent.drafts.read(place).catch(() => null);
    reading.set(nameOf(place), null);
    if (draft === null) return;
    last = place;
    session.send({ type: 'restored', draft });
  }

  async function restore(place: DraftPlace): Promise<void> {
    const name = nameOf(place);
    if (!reading.has(name)) reading.set(name, read(place));
    await reading.get(name);
  }

  async function save(): Promise<void> {
    await restore(current().key);
    const { key, draft, isEmpty } = current();
    const { drafts } = session.agent;
    const before = last;
    last = key;
    // A home that cannot be written to must not disturb typing. The turn itself reports it.
    await (isEmpty ? drafts.remove(key) : drafts.write(key, draft)).catch(() => undefined);
    // A draft goes along when the thread has its first turn, or when the user opens another thread.
    if (before === undefined || nameOf(before) === nameOf(key)) return;
    reading.delete(nameOf(before));
    await drafts.remove(before).catch(() => undefined);
  }

  return {
    restore,
    save() {
      timer ??= setTimeout(save, SAVE_MS);
    },
    flush: save,
    saveNow() {
      const { key, draft } = current();
      // The end of the session saves it again, after the earlier one was read.
      if (reading.get(nameOf(key)) !== null) return;
      try {
        session.agent.drafts.writeSync(key, draft);
      } catch {
        // As above.
      }
    },
  };
}

/** Returns the texts that were not sent, and the place that they belong to. */
function unsent({ thread, place, composer, later }: TuiModel) {
  const key: DraftPlace = thread?.hasTurns ? { thread: thread.id } : { folder: place.cwd };
  const waiting = later.filter((one) => !isComposerEmpty(one)).map(bare);
  return { key, draft: { ...bare(composer), waiting }, isEmpty: isComposerEmpty(composer) && waiting.length === 0 };
}

const bare = ({ text, folds }: FoldedText): FoldedText => ({ text, folds });

const nameOf = (place: DraftPlace): string => JSON.stringify(place);
