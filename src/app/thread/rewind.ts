import { UserError } from '../../base/errors.ts';
import type { LogLine } from '../../base/log.ts';
import { readBack } from '../../base/read-back.ts';
import { checkOptions } from '../../config/check-options.ts';
import { countTurns } from '../../engine/state/apply-item.ts';
import { openAsks } from '../../engine/state/thread-state.ts';
import type { EngineThread } from '../../engine/thread.ts';
import { type ComparedSnapshot, compareWorkspace } from '../../exec/snapshot/compare-workspace.ts';
import type { RestoreStep } from '../../exec/snapshot/plan-restore.ts';
import { lineDecoder } from '../../log/rollout-line.ts';
import { createTurnList, type PlacedTurn } from '../../log/turn-list.ts';
import { beginsTurn, turnsBack } from '../../log/turns-back.ts';
import { diffLines } from '../../patch/diff-lines.ts';
import { splitText } from '../../patch/split-text.ts';
import { rewindNote } from '../../prompt/rewind-note.ts';
import { canonicalLine } from './canonical-line.ts';
import { readSnapshotTurns, type SnapshotTurn, snapshotFrom } from './find-snapshot.ts';
import { placeOf, type RestoreChange, type RestoreReport, reportOf, restoreFiles } from './restore-files.ts';
import type { SnapshotterParts } from './snapshot-workspace.ts';

/** The turn to go back to: everything from its input on is taken back. */
export type RewindTarget =
  /** Id of the turn. */
  | { readonly to: string; readonly turns?: undefined }
  /** Number of turns with input, counted from the last. */
  | { readonly turns: number; readonly to?: undefined };

/** Options of `rewind`. */
export type RewindOptions = RewindTarget & {
  /** `talk`: the history of the model. `files`: the workspace. */
  readonly what: 'talk' | 'files' | 'both';
};

/** A turn that a thread can go back to. */
export interface RewindPoint {
  /** Id of the turn. */
  readonly turn: string;
  /** Beginning of the user's input, on one line. */
  readonly input: string;
  /** Start of the turn as ISO text. */
  readonly startedAt: string | null;
  /** Why the talk cannot go back before this turn. Null if it can. */
  readonly talkFault: string | null;
  /** Why the files cannot go back before this turn. Null if they can. */
  readonly filesFault: string | null;
  /** Number of files that differ now from their state before the turn. Null if that is unknown. */
  readonly changedFiles: number | null;
}

/** The effect that a rewind would have. */
export interface RewindPreview extends RewindPoint {
  /** Number of inputs of the user that the talk would lose. */
  readonly inputs: number;
  /** Files that would change. */
  readonly changes: readonly RewindChange[];
  /** Files that existed and would be left alone. Files that git ignores are not listed. */
  readonly left: RestoreReport['left'];
}

/** A file that a rewind would change. */
export interface RewindChange extends Omit<RestoreChange, 'failure'> {
  /** Lines that the file would get. Null if they were not counted. */
  readonly added: number | null;
  /** Lines that the file would lose. */
  readonly removed: number | null;
}

/** The effect of a rewind, and the ways back. */
export interface RewindReport {
  /** Id of the turn that the thread is before now. */
  readonly turn: string;
  /** Number of inputs of the user that the talk lost. */
  readonly inputs: number;
  /** Files that were restored. Null if only the talk went back. */
  readonly files: RestoreReport | null;
  /** Snapshot of the files from before, for `agent.restore`. Null if no file changed. */
  readonly undoTree: string | null;
  /** Last turn from before, for `at` of `agent.forkThread`. Null if the talk stays. */
  readonly undoTurn: string | null;
}

export interface Rewinder {
  points(options: { readonly limit?: number }): Promise<readonly RewindPoint[]>;
  preview(target: RewindTarget): Promise<RewindPreview>;
  rewind(options: RewindOptions): Promise<RewindReport>;
}

/** Bytes of a log in which turns are searched. */
const MOST_BYTES = 256 * 1024 * 1024;
const USUAL_POINTS = 20;
/** Files whose lines are counted in a preview. */
const MOST_COUNTED = 200;

/** Returns the functions that take a thread back. The caller makes sure that no turn runs. */
export function createRewinder(parts: SnapshotterParts, engine: EngineThread): Rewinder {
  return {
    async points(options) {
      checkOptions('rewindPoints', options, { limit: true });
      const { limit = USUAL_POINTS } = options;
      const turns = (await readTurns(parts, engine, (found) => found.length >= limit)).slice(-limit).reverse();
      const trees = new Set(turns.flatMap(({ tree }) => tree ?? []));
      // A snapshot that cannot be read leaves the number of files unknown.
      const compared = await compare(parts, [...trees]).catch(() => new Map<string, ComparedSnapshot>());
      return turns.map((turn) => pointOf(turn, turn.tree ? (compared.get(turn.tree)?.steps.length ?? null) : null));
    },
    async preview(target) {
      checkOptions('previewRewind', target, { to: true, turns: true });
      const found = await findTurn(parts, engine, target);
      const compared = found.tree === null ? undefined : (await compare(parts, [found.tree])).get(found.tree);
      const changes = compared ? changesOf(compared) : [];
      const left = compared ? reportOf(compared).left : [];
      return { ...pointOf(found, compared ? changes.length : null), inputs: found.inputs, changes, left };
    },
    async rewind(options) {
      checkOptions('rewind', options, { to: true, turns: true, what: true });
      const { what } = options;
      if (!WHAT.includes(what))
        throw new UserError('invalid_input', 'Say what to take back: "talk", "files" or "both".');
      const found = await findTurn(parts, engine, options);
      const talks = what !== 'files';
      const fault = (talks ? found.talkFault : null) ?? (what === 'talk' ? null : found.filesFault);
      if (fault !== null) throw new UserError('not_found', fault);
      if (!talks) refuseOpenAsks(engine);
      const files = what === 'talk' ? null : await restore(parts, engine.id, found.tree);
      if (talks) await engine.rollBack(found.inputs);
      else if (files) await tellModel(engine, found, files);
      return {
        turn: found.turn.id ?? '',
        inputs: talks ? found.inputs : 0,
        files,
        undoTree: files?.undo ?? null,
        undoTurn: talks ? found.last : null,
      };
    },
  };
}

async function findTurn(parts: SnapshotterParts, engine: EngineThread, target: RewindTarget): Promise<FoundTurn> {
  checkTarget(target);
  const indexIn = (turns: readonly FoundTurn[]) =>
    target.to === undefined ? turns.length - target.turns : turns.findIndex(({ turn }) => turn.id === target.to);
  const turns = await readTurns(parts, engine, (some) => indexIn(some) >= 0);
  const found = turns[indexIn(turns)];
  if (!found) throw new UserError('not_found', missingText(target, turns));
  return found;
}

function compare(parts: SnapshotterParts, trees: readonly string[]): Promise<ReadonlyMap<string, ComparedSnapshot>> {
  return compareWorkspace(trees, { ...placeOf(parts), signal: NEVER });
}

async function tellModel(engine: EngineThread, { turn }: FoundTurn, { changes }: RestoreReport): Promise<void> {
  const restored = changes.filter(({ failure }) => failure === null).map(({ path }) => path);
  if (restored.length > 0) await engine.tell(rewindNote(turn.input, restored));
}

const WHAT: readonly unknown[] = ['talk', 'files', 'both'];
const NEVER = new AbortController().signal;

function checkTarget({ to, turns }: RewindTarget): void {
  const isOne = (to === undefined) !== (turns === undefined);
  const isCount = turns === undefined || (Number.isInteger(turns) && turns >= 1);
  if (!isOne || !isCount)
    throw new UserError('invalid_input', 'Name the turn to go back to: its id as "to", or a number of "turns".');
}

function missingText({ to, turns }: RewindTarget, found: readonly FoundTurn[]): string {
  if (to !== undefined) return `The thread has no turn ${JSON.stringify(to)} with input of yours.`;
  return `The thread cannot go back ${turns} turns: it has ${found.length} with input of yours.`;
}

/** Throws while a question is open: a note for the model would end its call. */
function refuseOpenAsks({ state }: EngineThread): void {
  const [ask] = openAsks(state);
  if (ask) throw new UserError('in_use', `A question waits for its answer, so the files stay: ${ask.shown}`);
}

async function restore(parts: SnapshotterParts, thread: string, name: string | null): Promise<RestoreReport> {
  if (name === null) return { dryRun: false, tree: null, workspace: null, changes: [], left: [], undo: null };
  return restoreFiles(parts, { thread, name, dryRun: false, signal: NEVER });
}

/** A turn with input, and what is needed to go back before it. */
interface FoundTurn {
  readonly turn: PlacedTurn;
  /** Number of inputs from this turn on. */
  readonly inputs: number;
  /** Id of the last turn of the thread. */
  readonly last: string | null;
  /** Snapshot of the workspace before the turn. Null if nothing has changed since, or there is none. */
  readonly tree: string | null;
  readonly talkFault: string | null;
  readonly filesFault: string | null;
}

/** Reads turns from the end of the log, until there are enough. */
async function readTurns(
  { store, config }: SnapshotterParts,
  engine: EngineThread,
  isEnough: (found: readonly FoundTurn[]) => boolean,
): Promise<readonly FoundTurn[]> {
  const decode = lineDecoder(canonicalLine);
  const { id, state } = engine;
  let turns: readonly FoundTurn[] = [];
  const known = countTurns(state);
  // A turn without input is left out, so more turns may be needed than were asked for.
  for (let count = 32; ; count *= 8) {
    const { lines, before } = await turnsBack(readBack(store, id), {
      decode,
      taken: 0,
      mostBytes: MOST_BYTES,
      isEnough: (line, whole) => beginsTurn(line) && whole >= count,
      wants: isUseful,
    });
    turns = await foundTurns(lines, known, config.snapshots.enabled);
    if (before === null || isEnough(turns)) return turns;
    if (count > 1_000_000) return turns;
  }
}

/** Lines of ours that tell whether a turn changed something. Each turn of ours has a request. */
const USEFUL: ReadonlySet<string | undefined> = new Set(['snapshot', 'call.started', 'request.started']);

function isUseful(type: string, kind: string | undefined): boolean {
  if (type === 'response_item') return kind === undefined || kind.endsWith('_call');
  return type === 'oxbow' && USEFUL.has(kind);
}

async function foundTurns(lines: readonly LogLine[], known: number, isEnabled: boolean): Promise<readonly FoundTurn[]> {
  const list = createTurnList();
  for (const [index, line] of lines.entries()) list.apply(line, { index, time: timeOf(line) });
  const kept = await readSnapshotTurns(lines.map((line) => ({ line })));
  let inputs = 0;
  const found: FoundTurn[] = [];
  for (const turn of list.turns.toReversed()) {
    inputs += turn.inputs;
    if (turn.id === null || turn.input === null) continue;
    const at = kept.findIndex(({ id, number }) => id === turn.id && number !== null);
    const snapshot = snapshotFrom(kept, at);
    found.unshift({
      turn,
      inputs,
      last: list.turns.at(-1)?.id ?? null,
      tree: 'tree' in snapshot ? snapshot.tree : null,
      talkFault: inputs > known ? SUMMARISED : null,
      filesFault: 'missing' in snapshot ? notKeptText(snapshot.missing, isEnabled) : null,
    });
  }
  return found;
}

function timeOf(line: LogLine): string | null {
  const { timestamp } = line as { readonly timestamp?: unknown };
  return typeof timestamp === 'string' ? timestamp : null;
}

const SUMMARISED =
  'The talk cannot go back to this turn: a summary has replaced it since. Fork the thread at an earlier turn instead.';

function notKeptText({ snapshot }: SnapshotTurn, isEnabled: boolean): string {
  const why = snapshot?.reason === undefined ? '' : `: ${snapshot.reason}`;
  const hint = snapshot || isEnabled ? '' : ' Snapshots are off; [snapshots] enabled = true in config.toml keeps them.';
  return `The files cannot go back to this turn, because the workspace was not kept before its changes${why}.${hint}`;
}

function pointOf({ turn, talkFault, filesFault, tree }: FoundTurn, changed: number | null): RewindPoint {
  const changedFiles = filesFault === null && tree === null ? 0 : changed;
  const { id, input, startedAt } = turn;
  return { turn: id ?? '', input: input ?? '', startedAt, talkFault, filesFault, changedFiles };
}

function changesOf(compared: ComparedSnapshot): readonly RewindChange[] {
  const counts = new Map(compared.steps.slice(0, MOST_COUNTED).map((step) => [step, linesOf(compared, step)] as const));
  return compared.steps
    .map((step) => {
      const [change] = reportOf({ ...compared, steps: [step] }).changes;
      const { path = '', action = 'update' } = change ?? {};
      return { path, action, ...(counts.get(step) ?? NOT_COUNTED) };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const NOT_COUNTED = { added: null, removed: null };

function linesOf(compared: ComparedSnapshot, step: RestoreStep): Pick<RewindChange, 'added' | 'removed'> {
  const texts = compared.textsOf(step);
  if (!texts) return NOT_COUNTED;
  const differences = diffLines(splitText(texts.now).lines, splitText(texts.kept).lines);
  return differences.reduce(
    ({ added, removed }, { oldFrom, oldTo, newFrom, newTo }) => ({
      added: added + newTo - newFrom,
      removed: removed + oldTo - oldFrom,
    }),
    { added: 0, removed: 0 },
  );
}
