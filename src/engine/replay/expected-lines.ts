import { type CallItem, isCallOutput } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { difference } from './difference.ts';
import { Diverged, RecordEnd } from './divergence.ts';
import { type Actor, actorOf, callActor } from './line-kinds.ts';
import type { RecordedLine } from './recorded-line.ts';

/** The recorded lines that the engine has yet to write, in the order of each who writes. */
export interface ExpectedLines {
  /** Adds lines. `dies`: the log ends with them in the middle of a turn. */
  expect(lines: readonly RecordedLine[], options: { readonly dies: boolean }): void;
  /** The line that the turn, or somebody outside, must write next, or one further on. */
  ahead(steps?: number): RecordedLine | undefined;
  /** The next line ahead of a kind of our own. */
  nextOwn<K extends OxbowLine['kind']>(kind: K): Extract<OxbowLine, { readonly kind: K }> | undefined;
  /** What belongs to a call that the model just made. */
  callAfter(number: number, call: CallItem): RecordedCall;
  /** The line that keeps the workspace, if it stands between these two. */
  snapshotBetween(from: number, to: number): RecordedLine | undefined;
  /** Notes that a line was written. Gives `Diverged` when another one was recorded, `RecordEnd` when none was any more. */
  take(line: LogLine): Diverged | RecordEnd | undefined;
  /** Resolves when this line was written. */
  whenTaken(recorded: RecordedLine): Promise<void>;
  /** Of all lines that were not written, the first. */
  readonly left: RecordedLine | undefined;
  /** How many were written. */
  readonly taken: number;
}

export interface RecordedCall {
  /** What is recorded of how it went, `call.finished` at the end if it is there. */
  readonly lines: readonly RecordedLine[];
  /** Its output in the history. */
  readonly output: RecordedLine | undefined;
}

export function createExpectedLines(): ExpectedLines {
  const queues = createQueues();
  const turn = queues.of('turn');
  /** Outputs that belong to a call already: ids of calls may come again. */
  const claimed = new Set<RecordedLine>();
  const waiting = new Map<RecordedLine, () => void>();
  let last: RecordedLine | undefined;
  /** The last line up to which the history was certainly the recorded one. */
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
    nextOwn(kind) {
      for (const { line } of turn) if (isOwn(line, kind)) return line.payload;
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

/** The lines of each who writes. What comes from outside has its place among those of the turn. */
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
      // Calls come and go.
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
  kind: K,
): line is { type: 'oxbow'; payload: Extract<OxbowLine, { readonly kind: K }> } {
  return line.type === 'oxbow' && line.payload.kind === kind;
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
