import { type CallItem, isCallOutput } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { difference } from './difference.ts';
import { Diverged, RecordEnd } from './divergence.ts';
import { type Actor, actorOf, callActor } from './line-kinds.ts';
import type { RecordedLine } from './recorded-line.ts';

/** The recorded lines that the engine has yet to write. Each writer has an order of its own. */
export interface ExpectedLines {
  /** Adds lines. `dies`: the log ends with these lines in the middle of a turn. */
  expect(lines: readonly RecordedLine[], options: { readonly dies: boolean }): void;
  /** Returns the next line of the turn or from outside, or one that is this many steps later. */
  ahead(steps?: number): RecordedLine | undefined;
  /** Returns the next `oxbow` line of a kind, or of one of several kinds. */
  nextOwn<K extends OxbowLine['kind']>(...kinds: readonly K[]): Extract<OxbowLine, { readonly kind: K }> | undefined;
  /** Returns the recorded lines of a call that the model just made. */
  callAfter(number: number, call: CallItem): RecordedCall;
  /** Returns the snapshot line between these two line numbers, if there is one. */
  snapshotBetween(from: number, to: number): RecordedLine | undefined;
  /**
   * Accepts a line that was written. Returns `Diverged` if another line was recorded, or `RecordEnd` if the record ends
   * before.
   */
  take(line: LogLine): Diverged | RecordEnd | undefined;
  /** Resolves when this line was written. */
  whenTaken(recorded: RecordedLine): Promise<void>;
  /** First of the lines that were not written yet. */
  readonly left: RecordedLine | undefined;
  /** Number of lines that were written. */
  readonly taken: number;
}

export interface RecordedCall {
  /** Lines about the run of the call. `call.finished` is the last one, if there is one. */
  readonly lines: readonly RecordedLine[];
  /** Output of the call in the history. */
  readonly output: RecordedLine | undefined;
}

export function createExpectedLines(): ExpectedLines {
  const queues = createQueues();
  const turn = queues.of('turn');
  /** Outputs that were assigned to a call. Ids of calls may repeat. */
  const claimed = new Set<RecordedLine>();
  const waiting = new Map<RecordedLine, () => void>();
  let last: RecordedLine | undefined;
  /** Number of the last line up to which the history certainly agreed with the record. */
  let agreed: number | undefined;
  let dies = false;
  let taken = 0;
  return {
    expect(lines, options) {
      dies = options.dies;
      claimed.clear();
      for (const recorded of lines) queues.of(actorOf(recorded.line)).push(recorded);
      last = lines.at(-1) ?? last;
    },
    ahead: (steps = 0) => turn[steps],
    nextOwn(...kinds) {
      for (const { line } of turn) if (isOwn(line, ...kinds)) return line.payload;
      return undefined;
    },
    callAfter(number, { call_id }) {
      const output = turn.find((recorded) => !claimed.has(recorded) && answers(recorded.line, call_id));
      if (output) claimed.add(output);
      return { lines: linesOfCall(queues.of(callActor(call_id)), number, output), output };
    },
    snapshotBetween: (from, to) => queues.of('snapshot').find(({ number }) => number > from && number < to),
    take(line) {
      const queue = queues.of(actorOf(line));
      const [recorded] = queue;
      if (!recorded) return dies ? new RecordEnd('The log ends here.') : tooMuch(last, line);
      const where = difference(recorded.line, line);
      if (where !== undefined)
        return differsAt(recorded, line, where === 'payload.digest' ? otherHistory(agreed) : where);
      if (isOwn(line, 'request.started')) agreed = recorded.number;
      queue.shift();
      taken++;
      waiting.get(recorded)?.();
      waiting.delete(recorded);
      return undefined;
    },
    whenTaken: (recorded) => new Promise((resolve) => waiting.set(recorded, resolve)),
    get left() {
      return queues.first();
    },
    get taken() {
      return taken;
    },
  };
}

/** Returns a queue of lines for each writer. Lines from outside are in the queue of the turn. */
function createQueues(): { of(actor: Actor): RecordedLine[]; first(): RecordedLine | undefined } {
  const queues = new Map<Actor, RecordedLine[]>();
  return {
    of(actor) {
      const key = actor === 'outside' ? 'turn' : actor;
      const queue = queues.get(key) ?? [];
      queues.set(key, queue);
      return queue;
    },
    first() {
      // Queues of finished calls are removed.
      for (const [actor, queue] of queues) if (queue.length === 0 && actor !== 'turn') queues.delete(actor);
      return [...queues.values()].flatMap(([one]) => one ?? []).sort((a, b) => a.number - b.number)[0];
    },
  };
}

function linesOfCall(queue: readonly RecordedLine[], after: number, output: RecordedLine | undefined): RecordedLine[] {
  const before = output?.number ?? Number.POSITIVE_INFINITY;
  const lines = queue.filter(({ number }) => number > after && number < before);
  const end = lines.findIndex(({ line }) => isOwn(line, 'call.finished'));
  return end < 0 ? lines : lines.slice(0, end + 1);
}

function answers(line: LogLine, callId: string): boolean {
  return line.type === 'response_item' && isCallOutput(line.payload) && line.payload.call_id === callId;
}

function isOwn<K extends OxbowLine['kind']>(
  line: LogLine,
  ...kinds: readonly K[]
): line is { type: 'oxbow'; payload: Extract<OxbowLine, { readonly kind: K }> } {
  return line.type === 'oxbow' && (kinds as readonly string[]).includes(line.payload.kind);
}

function differsAt(recorded: RecordedLine, came: LogLine, where: string): Diverged {
  const another = ['type', 'payload.type', 'payload.kind'].includes(where);
  const reason = another ? 'is not the one that comes' : `differs in ${where}`;
  return new Diverged({ line: recorded.number, reason, recorded: recorded.line, came });
}

function otherHistory(agreed: number | undefined): string {
  const since = agreed === undefined ? 'before it' : `between line ${agreed} and this one`;
  return `payload.digest: some item ${since} is not the one that was sent then`;
}

function tooMuch(last: RecordedLine | undefined, came: LogLine): Diverged {
  return new Diverged({ line: (last?.number ?? 0) + 1, reason: 'is missing', recorded: null, came });
}
