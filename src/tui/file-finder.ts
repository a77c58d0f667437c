import type { FileIndex } from '../app/commands/open-file-index.ts';
import { createFuzzy, type Fuzzy } from '../text/fuzzy.ts';
import type { FileFinder } from './perform.ts';
import type { Session } from './session.ts';

const MOST_ROWS = 8;

/** Returns the finder of files. It reads their names in the background at the first search, and searches while they come. */
export function createFileFinder(session: Session): FileFinder {
  let names: Fuzzy | undefined;
  let query = '';
  let index: Promise<FileIndex> | undefined;

  function show(): void {
    const rows = (names?.search(query, MOST_ROWS) ?? []).map(({ name }) => ({ value: name, label: name }));
    session.send({ type: 'files', query, rows });
  }

  async function open(): Promise<FileIndex> {
    const { openFilesOf } = await import('../app/commands/open-file-index.ts');
    return openFilesOf(session.agent.config, {
      onBegin() {
        names = createFuzzy();
      },
      onNames(batch) {
        names?.add(batch);
        show();
      },
    });
  }

  return {
    search(wanted) {
      query = wanted;
      if (index === undefined) index = open();
      // A name that was added since is found too.
      else if (wanted === '') void index.then((opened) => opened.refresh());
      show();
    },
  };
}
