import type { LogLine, OxbowLine } from '../../base/log.ts';

/**
 * Who writes a line. A turn writes its own in one order; each call that runs beside it has an order of its own, and how
 * these mix is chance. What comes from outside has its place among the lines of the turn.
 */
export type Actor = 'turn' | 'outside' | 'snapshot' | `call ${string}`;

interface Kind<L> {
  actor(line: L): Actor;
  /** Whether a replay does not write it: it tells how something looked that no replay does. */
  readonly isLeftOut?: true;
  /** Fields of the payload that the clock makes. */
  readonly timed?: readonly string[];
}

const OF_TURN: Kind<unknown> = { actor: () => 'turn' };
const FROM_OUTSIDE: Kind<unknown> = { actor: () => 'outside' };
const OF_CALL: Kind<{ readonly call_id: string }> = { actor: ({ call_id }) => callActor(call_id) };

/** Every kind of line that this program writes for itself. */
const OWN_KINDS: { readonly [K in OxbowLine['kind']]: Kind<Extract<OxbowLine, { readonly kind: K }>> } = {
  'request.started': OF_TURN,
  'request.ended': { ...OF_TURN, timed: ['ms'] },
  'prefix.changed': OF_TURN,
  checkpoint: OF_TURN,
  'turn.failed': OF_TURN,
  item: { ...OF_TURN, isLeftOut: true },
  'input.queued': FROM_OUTSIDE,
  'input.edited': FROM_OUTSIDE,
  'input.removed': FROM_OUTSIDE,
  'call.started': OF_CALL,
  'call.finished': { actor: ({ output }) => callActor(output.call_id) },
  'ask.opened': OF_CALL,
  'ask.answered': OF_CALL,
  // What is repaired in a response has a frame, or concerns no call.
  repair: { actor: ({ frame, call_id }) => (frame === null && call_id !== null ? callActor(call_id) : 'turn') },
  // One of the calls that may change something writes it; the line does not say which.
  snapshot: { actor: () => 'snapshot' },
};

export function actorOf(line: LogLine): Actor {
  return line.type === 'oxbow' ? kindOf(line.payload).actor(line.payload) : 'turn';
}

export function callActor(callId: string): Actor {
  return `call ${callId}`;
}

/** The fields of a line's payload that differ from run to run. */
export function timedFields(line: LogLine): readonly string[] {
  if (line.type === 'session_meta') return ['timestamp'];
  return (line.type === 'oxbow' && kindOf(line.payload).timed) || [];
}

/** Whether a line cannot stand outside of a turn. What a thread begins with may stand anywhere. */
export function isPartOfTurn(line: LogLine): boolean {
  if (line.type !== 'oxbow' || !isReplayed(line)) return false;
  const { kind } = line.payload;
  return kind !== 'checkpoint' && kind !== 'prefix.changed' && !isFromOutside(line);
}

/** Whether it is input that somebody gave. */
export function isFromOutside(line: LogLine): boolean {
  return isKnown(line) && actorOf(line) === 'outside';
}

/** Returns whether a replay writes such a line. False for lines of a newer version, too. */
export function isReplayed(line: LogLine): boolean {
  return isKnown(line) && !(line.type === 'oxbow' && kindOf(line.payload).isLeftOut);
}

function isKnown(line: LogLine): boolean {
  return line.type !== 'oxbow' || Object.hasOwn(OWN_KINDS, line.payload.kind);
}

function kindOf(line: OxbowLine): Kind<OxbowLine> {
  return OWN_KINDS[line.kind] as Kind<OxbowLine>;
}
