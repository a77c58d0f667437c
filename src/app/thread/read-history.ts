import { UserError } from '../../base/errors.ts';
import type { ThreadItem } from '../../base/event.ts';
import type { LogLine } from '../../base/log.ts';
import { readBack } from '../../base/read-back.ts';
import type { ThreadCatalogue } from '../../base/thread-store.ts';
import { checkOptions } from '../../config/check-options.ts';
import type { ShownItemOptions } from '../../events/shown-item.ts';
import { createTranscript } from '../../events/transcript.ts';
import { lineDecoder } from '../../log/rollout-line.ts';
import { createTurnList, type PlacedTurn, type ThreadTurn } from '../../log/turn-list.ts';
import { beginsTurn, type TurnsPlace, turnsBack } from '../../log/turns-back.ts';
import { canonicalLine } from './canonical-line.ts';
import { groupItems } from './group-items.ts';

/** Options of `history`. */
export interface HistoryOptions {
  /** Maximum number of turns. The default is 10. */
  readonly turns?: number;
  /** The place `before` of a page, to read the page before it. The default is the end of the thread. */
  readonly before?: string;
}

/** Consecutive turns of a thread, with everything that was shown. */
export interface HistoryPage {
  /** Turns in their order. Turns that were rolled back are left out. */
  readonly turns: readonly HistoryTurn[];
  /** The place of this page, for reading the one before it. Null if there are no turns before. */
  readonly before: string | null;
  /** Number of turns before this page. Null if counting them would take too long. */
  readonly earlier: number | null;
}

/** A turn and its items. */
export interface HistoryTurn extends Omit<ThreadTurn, 'number'> {
  /** Number from 1. Null if counting the turns before would take too long. */
  readonly number: number | null;
  /** Items in the order in which they began. Long texts are cut. */
  readonly items: readonly ThreadItem[];
  /** Message of the error that the turn failed with. */
  readonly failure: string | null;
  /** Whether the page has all of the turn. The rest of a very long turn is on other pages, under the same id. */
  readonly isWhole: boolean;
}

/** Bytes of a page after which a long turn is cut. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Bytes before a page that are searched for the number of turns. */
const LOOK_BYTES = 4 * 1024 * 1024;
/** Bytes before a page that are searched for the beginning of a long turn. */
const BEGIN_BYTES = 64 * 1024 * 1024;
const USUAL_TURNS = 10;

export interface ReadHistoryOptions extends ShownItemOptions {
  /** Whether the turns before the page are counted. The default is true. */
  readonly counts?: boolean;
}

/**
 * Reads turns of a thread from the end of its log. Time and memory do not depend on the length of the thread. Throws
 * `UserError` for a place that no page had.
 */
export async function readHistory(
  store: ThreadCatalogue,
  id: string,
  options: HistoryOptions,
  { counts = true, ...shown }: ReadHistoryOptions,
): Promise<HistoryPage> {
  checkOptions('history', options, { turns: true, before: true });
  const { turns: most = USUAL_TURNS, before } = options;
  if (!Number.isInteger(most) || most < 1)
    throw new UserError('invalid_input', `A page cannot have ${most} turns. Ask for at least one.`);
  const place = before === undefined ? undefined : parsePlace(before);
  const page = await turnsBack(readBack(store, id, place?.cursor), {
    decode: lineDecoder(canonicalLine),
    taken: place?.taken ?? 0,
    mostBytes: PAGE_BYTES,
    isEnough: (line, turns) => beginsTurn(line) && turns >= most,
    wants: isShown,
  });
  const begun = page.isCut && page.before ? await findBegin(store, id, page.before) : undefined;
  const folded = foldPage(begun ? [begun, ...page.lines] : page.lines, shown);
  const isOpen = before === undefined && (await store.holder(id)) !== null;
  const earlier = counts ? await countEarlier(store, id, page.before, folded.earlier, begun !== undefined) : null;
  return {
    turns: folded.turns.map((turn, index) => ({
      ...turn,
      status: isOpen && turn.status === 'unfinished' && index === folded.turns.length - 1 ? 'running' : turn.status,
      number: earlier === null ? null : earlier + (page.before === null ? turn.number : index + 1),
      isWhole:
        turn.isWhole &&
        !(index === 0 && begun !== undefined) &&
        !(index === folded.turns.length - 1 && place?.isCut === true),
    })),
    before: page.before && formatPlace({ ...page.before, isCut: begun !== undefined }),
    earlier,
  };
}

/** Reports whether a line may be about an item or a turn. */
function isShown(type: string, kind: string | undefined): boolean {
  if (type === 'response_item') return true;
  return type === 'oxbow' && (kind === undefined || !UNSHOWN.has(kind));
}

const UNSHOWN: ReadonlySet<string> = new Set(['request.started', 'request.ended', 'prefix.changed', 'repair']);

/** A place, and whether it is within a turn. */
interface PagePlace extends TurnsPlace {
  readonly isCut: boolean;
}

function formatPlace({ isCut, taken, cursor }: PagePlace): string {
  return `${isCut ? 'in' : 'at'}.${taken}.${cursor}`;
}

function parsePlace(text: string): PagePlace {
  const [, kind, taken, cursor] = /^(in|at)\.(\d+)\.(.+)$/.exec(text) ?? [];
  if (cursor === undefined)
    throw new UserError('invalid_input', `${JSON.stringify(text)} is not the place of a page of this thread.`);
  return { isCut: kind === 'in', taken: Number(taken), cursor };
}

interface FoldedPage {
  readonly turns: readonly (Omit<HistoryTurn, 'number'> & { readonly number: number })[];
  /** Number of turns before the page, if a line of the page tells it. */
  readonly earlier: number | undefined;
}

function foldPage(lines: readonly LogLine[], shown: ShownItemOptions): FoldedPage {
  const list = createTurnList();
  const transcript = createTranscript(shown);
  const failures = new Map<string, string>();
  let earlier: number | undefined;
  for (const [index, line] of lines.entries()) {
    list.apply(line, { index, time: timeOf(line) });
    transcript.apply(line);
    if (line.type !== 'oxbow') continue;
    if (line.payload.kind === 'turn.failed') failures.set(line.payload.turn_id, line.payload.message);
    if (line.payload.kind === 'checkpoint') earlier ??= line.payload.turns - (list.turns.at(-1)?.number ?? 0);
  }
  const [loose = [], ...byTurn] = groupItems(list.turns, transcript.items());
  const turns = list.turns.map((turn, index) => {
    const { end: _, inputs: _inputs, lacksStart, ...told } = turn;
    const items = [...(index === 0 ? loose : []), ...(byTurn[index] ?? [])].map(({ item }) => item);
    const failure = (turn.id === null ? undefined : failures.get(turn.id)) ?? null;
    return { ...told, items, failure, isWhole: !lacksStart };
  });
  return { turns, earlier };
}

function timeOf(line: LogLine): string | null {
  const { timestamp } = line as { readonly timestamp?: unknown };
  return typeof timestamp === 'string' ? timestamp : null;
}

/** Returns the first line of the turn at a place, or undefined if there is none nearby. */
async function findBegin(store: ThreadCatalogue, id: string, place: TurnsPlace): Promise<LogLine | undefined> {
  const { lines } = await lookBack(store, id, place, beginsTurn, BEGIN_BYTES);
  const [first] = lines;
  const isOpen = turnsIn(lines).at(-1)?.end === null;
  return first && beginsTurn(first) && isOpen ? first : undefined;
}

function turnsIn(lines: readonly LogLine[]): readonly PlacedTurn[] {
  const list = createTurnList();
  for (const [index, line] of lines.entries()) list.apply(line, { index, time: null });
  return list.turns;
}

/** Returns the number of turns before a place, or null if it is too far from the beginning and from each checkpoint. */
async function countEarlier(
  store: ThreadCatalogue,
  id: string,
  place: TurnsPlace | null,
  told: number | undefined,
  isCut: boolean,
): Promise<number | null> {
  if (place === null) return 0;
  if (told !== undefined) return told;
  const { lines, before } = await lookBack(store, id, place, isCheckpoint, LOOK_BYTES);
  const [first] = lines;
  if (before !== null && !(first && isCheckpoint(first))) return null;
  return Math.max(0, (turnsIn(lines).at(-1)?.number ?? 0) - (isCut ? 1 : 0));
}

function isCheckpoint(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'checkpoint';
}

/** Reads the lines about turns before a place, back to a line for which the test holds. */
function lookBack(
  store: ThreadCatalogue,
  id: string,
  place: TurnsPlace,
  test: (line: LogLine) => boolean,
  mostBytes: number,
) {
  return turnsBack(readBack(store, id, place.cursor), {
    decode: lineDecoder(canonicalLine),
    taken: place.taken,
    mostBytes,
    isEnough: test,
    wants: (type, kind) => type === 'oxbow' && (kind === 'checkpoint' || kind?.startsWith('turn.') === true),
  });
}
