import { type Composer, composerText } from './composer.ts';
import { editComposer } from './edit-composer.ts';

/** A walk through the history: the draft it began with, and the entry that is shown. */
export interface Recall {
  readonly draft: Composer;
  readonly at: number;
  readonly text: string;
}

/** A draft after a step through the history, and the state for the next step. */
export interface Recalled {
  readonly state: Recall | undefined;
  readonly composer: Composer;
}

/**
 * Returns the next older entry that begins with the draft, or all as it is if there is none. `history` has the newest entry
 * first. An entry that was changed is a draft of its own.
 */
export function recallOlder(state: Recall | undefined, composer: Composer, history: readonly string[]): Recalled {
  const walk = current(state, composer) ?? { draft: composer, at: -1, text: composerText(composer) };
  const prefix = composerText(walk.draft);
  const at = history.findIndex((entry, index) => index > walk.at && entry !== walk.text && entry.startsWith(prefix));
  return at < 0 ? { state: current(state, composer), composer } : shown(walk, composer, history[at] ?? '', at);
}

/** Returns the next newer entry, and the draft after the newest. */
export function recallNewer(state: Recall | undefined, composer: Composer, history: readonly string[]): Recalled {
  const walk = current(state, composer);
  if (walk === undefined) return { state: undefined, composer };
  const prefix = composerText(walk.draft);
  const at = history.findLastIndex(
    (entry, index) => index < walk.at && entry !== walk.text && entry.startsWith(prefix) && entry !== prefix,
  );
  if (at >= 0) return shown(walk, composer, history[at] ?? '', at);
  return { state: undefined, composer: { ...walk.draft, killed: composer.killed } };
}

/** Returns the walk if the shown entry was not changed since. */
const current = (state: Recall | undefined, composer: Composer) =>
  state !== undefined && composerText(composer) === state.text ? state : undefined;

function shown(walk: Recall, composer: Composer, text: string, at: number): Recalled {
  const { draft } = walk;
  // The undo of the entry is the draft, not the entry before.
  const set = editComposer({ ...draft, killed: composer.killed }, { type: 'set', text }, 1);
  return { state: { draft, at, text: composerText(set) }, composer: set };
}

/** An entry of the history, and where the searched text is in it. */
export interface HistoryMatch {
  readonly text: string;
  readonly at: number;
  readonly start: number;
}

/**
 * Returns the newest entry that contains a text, after `skip` others. An entry that was found before is not found again.
 * Capital letters count only if the query has one.
 */
export function searchHistory(history: readonly string[], query: string, skip = 0): HistoryMatch | undefined {
  if (query === '') return undefined;
  const isExact = query !== query.toLowerCase();
  const seen = new Set<string>();
  for (const [at, text] of history.entries()) {
    const start = (isExact ? text : text.toLowerCase()).indexOf(query);
    if (start < 0 || seen.has(text)) continue;
    if (seen.size === skip) return { text, at, start };
    seen.add(text);
  }
  return undefined;
}
