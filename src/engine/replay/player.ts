import type { LogLine, SessionMeta } from '../../base/log.ts';
import { applyLine } from '../state/apply-line.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';
import { type EngineThread, openThread } from '../thread.ts';
import { isOwnTurn, type Stretch } from './cut-turns.ts';
import { Diverged, RecordEnd } from './divergence.ts';
import type { ExpectedLines } from './expected-lines.ts';
import { isFromOutside, isPartOfTurn, isReplayed } from './line-kinds.ts';
import { readOlderFailure } from './older-failure.ts';
import { createPlayback, type Playback } from './playback.ts';
import type { RecordedLine, RecordedLog } from './recorded-line.ts';
import { replaySetup } from './replay-setup.ts';
import { type TurnFacts, turnFacts } from './turn-facts.ts';
import { unlessStalled } from './unless-stalled.ts';

/** A player runs a log again, stretch by stretch. */
export interface Player {
  /** Returns the log to cut into stretches. */
  lines(): AsyncIterable<RecordedLine>;
  /** Plays one stretch. Throws `Diverged`. */
  play(stretch: Stretch): Promise<void>;
  /** Throws `Diverged` if the state of the thread differs from the fold over its log. */
  finish(): void;
}

export function createPlayer(log: RecordedLog): Player {
  const playing: Playing = {
    lines: async function* () {
      for await (const recorded of log()) yield { ...recorded, line: readOlderFailure(recorded.line) };
    },
    folded: emptyState(),
    last: undefined,
    lastOwn: undefined,
    facts: turnFacts([]),
    played: null,
  };
  return {
    lines: playing.lines,
    async play(stretch) {
      const [first] = stretch.lines;
      if (!first) return;
      const own = isOwnTurn(stretch);
      if (own) await playTurn(playing, stretch, first);
      const goesOn = own ? stretch.ended : stretch.type === 'between' && (await playBetween(playing, stretch.lines));
      for (const { line } of stretch.lines) applyLine(playing.folded, line);
      playing.last = stretch.lines.at(-1);
      playing.lastOwn = own || goesOn ? playing.last : undefined;
      if (goesOn) return;
      if (own) checkState(playing);
      playing.played = null;
    },
    finish: () => checkState(playing),
  };
}

interface Playing {
  readonly lines: RecordedLog;
  /** Fold over the lines so far. */
  readonly folded: ThreadState;
  last: RecordedLine | undefined;
  /** Last line so far, unless another program wrote it. */
  lastOwn: RecordedLine | undefined;
  /** Facts of the running turn. */
  facts: TurnFacts;
  /**
   * The open thread. Null if the next turn begins from the lines on record: at the start, after a crash, and after
   * turns of other programs.
   */
  played: Played | null;
}

interface Played {
  readonly playback: Playback;
  readonly thread: EngineThread;
}

async function playTurn(playing: Playing, stretch: Stretch, first: RecordedLine): Promise<void> {
  checkOrder(playing, stretch.lines);
  const facts = turnFacts(stretch.lines);
  playing.facts = facts;
  // Instructions that the user chose apply to the first turn of a process, so the thread is opened again.
  if (facts.compacts && facts.instructions !== undefined) playing.played = null;
  playing.played ??= await open(playing, first);
  const { playback, thread } = playing.played;
  playback.interruption = new AbortController();
  const lines = stretch.lines.filter(({ line }) => isReplayed(line));
  playback.expected.expect(lines, { dies: !stretch.ended });
  await unlessStalled(playback, runTurn(thread, facts, playback));
}

/** Plays input between turns and the first line of a thread. Returns false if there are other lines. */
async function playBetween(playing: Playing, between: readonly RecordedLine[]): Promise<boolean> {
  const stray = between.find(({ line }) => isPartOfTurn(line));
  if (stray) throw new Diverged({ line: stray.number, reason: 'belongs to no turn', recorded: stray.line, came: null });
  const begins = (recorded: RecordedLine) => !playing.last && recorded === between[0] && isOwnStart(recorded.line);
  const replayed = between.filter(({ line }) => isReplayed(line));
  if (!replayed.every((recorded) => isFromOutside(recorded.line) || begins(recorded))) return false;
  checkOrder(playing, between);
  for (const recorded of replayed) {
    playing.played ??= await open(playing, recorded);
    const { playback } = playing.played;
    playback.expected.expect([recorded], { dies: false });
    if (isFromOutside(recorded.line)) await unlessStalled(playback, playback.act(recorded));
  }
  return true;
}

/** Checks the ordinals of lines. Ordinals may be missing between lines of other programs. */
function checkOrder({ lastOwn }: Playing, lines: readonly RecordedLine[]): void {
  const fault = ordinalFault(lastOwn ? [lastOwn, ...lines] : lines);
  if (fault) throw fault;
}

/** Returns the fault of the first line whose ordinal does not follow the one before it. */
function ordinalFault(lines: readonly RecordedLine[]): Diverged | undefined {
  for (const [index, recorded] of lines.entries()) {
    const before = lines[index - 1]?.ordinal ?? null;
    if (before === null || recorded.ordinal === null || recorded.ordinal === before + 1) continue;
    const { number, line, ordinal } = recorded;
    const reason = `does not follow the line before it: it was line ${ordinal + 1} when it was written, that one line ${before + 1}`;
    return new Diverged({ line: number, reason, recorded: line, came: null });
  }
  return undefined;
}

/** Opens a thread that continues with this line. */
async function open(playing: Playing, { line, number }: RecordedLine): Promise<Played> {
  const { folded } = playing;
  const playback = createPlayback();
  const setup = replaySetup({
    playback,
    meta: line.type === 'session_meta' ? line.payload : (folded.meta ?? NO_META),
    facts: () => playing.facts,
  });
  const thread = await openThread(setup, isOwnStart(line) ? [] : linesBefore(playing, number));
  playback.thread = thread;
  return { playback, thread };
}

const OWN_FIELDS =
  'id session_id timestamp cwd originator cli_version source model_provider base_instructions history_mode oxbow_format oxbow_metadata'.split(
    ' ',
  );

/** Reports whether this program began a thread with this line. Other programs, and forks, write more fields. */
function isOwnStart(line: LogLine): boolean {
  if (line.type !== 'session_meta') return false;
  const { oxbow_format, source } = line.payload;
  // The first versions wrote no format.
  if (oxbow_format === undefined && source !== 'exec') return false;
  return Object.keys(line.payload).every((field) => OWN_FIELDS.includes(field));
}

async function* linesBefore({ lines }: Playing, number: number): AsyncGenerator<LogLine> {
  for await (const recorded of lines()) {
    if (recorded.number >= number) return;
    yield recorded.line;
  }
}

function checkState({ played, folded, last }: Playing): void {
  // A thread that was never used has no state to compare.
  if (!played || !last || played.playback.expected.left) return;
  const where = stateDifference(folded, played.thread.state);
  if (where === undefined) return;
  const reason = `is the last one, and the thread knows something else then than its log tells: ${where}`;
  throw new Diverged({ line: last.number, reason, recorded: last.line, came: null });
}

/** Resolves when the turn has ended, or at the point where its process died. */
async function runTurn(
  thread: EngineThread,
  { compacts, answers, input, limits, instructions }: TurnFacts,
  { expected, interruption: { signal } }: Playback,
): Promise<void> {
  const options = {
    signal,
    limits,
    checkOutput: () => recordedFaults(expected),
    ...(instructions === undefined ? {} : { baseInstructions: instructions }),
  };
  try {
    if (compacts) await thread.compact({ signal });
    else if (answers === undefined) await thread.run(input, options);
    // The lines of the call record the real answer.
    else await thread.answer(answers, 'approved', options);
  } catch (error) {
    if (!(error instanceof RecordEnd)) throw error;
  }
}

/** Returns the faults for which the answer at hand was refused. */
function recordedFaults(expected: ExpectedLines): readonly string[] {
  const next = expected.nextOwn('output.refused', 'request.started');
  return next?.kind === 'output.refused' ? next.faults : [];
}

function stateDifference(told: ThreadState, known: ThreadState): string | undefined {
  if (told.history.length !== known.history.length) return 'history';
  // The history may be long, and is compared by its digest.
  const { history: _, ...rest } = told;
  return (Object.keys(rest) as (keyof typeof rest)[]).find((field) => plain(told[field]) !== plain(known[field]));
}

/** Returns a value as JSON, without times. */
function plain(value: unknown): string {
  const listed = value instanceof Map || value instanceof Set ? [...value] : value;
  return JSON.stringify(listed, (key, field) => (key === 'timestamp' ? undefined : field));
}

const NO_META: SessionMeta = {
  id: '',
  session_id: '',
  timestamp: '',
  cwd: '/',
  originator: '',
  cli_version: '',
  source: 'exec',
  model_provider: '',
  base_instructions: { text: '' },
  history_mode: 'legacy',
};
