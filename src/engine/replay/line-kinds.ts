import type { LogLine, OxbowLine } from '../../base/log.ts';

/**
 * The writer of a line. A turn writes its lines in a fixed order. So does each call that runs at the same time, but how
 * these orders mix is chance. Lines from outside have a fixed position among the lines of the turn.
 */
export type Actor = 'turn' | 'outside' | 'snapshot' | `call ${string}`;

interface Kind<L> {
  actor(line: L): Actor;
  /** Whether a replay does not write such lines. They record how something was shown. */
  readonly isLeftOut?: true;
  /** Fields of the payload that are not compared: they depend on the clock or on the world outside. */
  readonly uncompared?: readonly string[];
}

const OF_TURN: Kind<unknown> = { actor: () => 'turn' };
const FROM_OUTSIDE: Kind<unknown> = { actor: () => 'outside' };
const OF_CALL: Kind<{ readonly call_id: string }> = { actor: ({ call_id }) => callActor(call_id) };

/** Every kind of `oxbow` line. */
const OWN_KINDS: { readonly [K in OxbowLine['kind']]: Kind<Extract<OxbowLine, { readonly kind: K }>> } = {
  'request.started': OF_TURN,
  'request.ended': { ...OF_TURN, uncompared: ['ms'] },
  'prefix.changed': OF_TURN,
  checkpoint: OF_TURN,
  'output.refused': OF_TURN,
  'turn.suspended': OF_TURN,
  'turn.continued': OF_TURN,
  'turn.failed': { ...OF_TURN, uncompared: ['message'] },
  item: { ...OF_TURN, isLeftOut: true },
  'input.queued': FROM_OUTSIDE,
  'input.edited': FROM_OUTSIDE,
  'input.removed': FROM_OUTSIDE,
  'command.started': FROM_OUTSIDE,
  'command.ended': FROM_OUTSIDE,
  'call.started': OF_CALL,
  'call.finished': { actor: ({ output }) => callActor(output.call_id) },
  'call.sampled': OF_CALL,
  'ask.opened': OF_CALL,
  'ask.answered': OF_CALL,
  'ask.suspended': OF_CALL,
  // A repair in a response has a frame, or concerns no call.
  repair: { actor: ({ frame, call_id }) => (frame === null && call_id !== null ? callActor(call_id) : 'turn') },
  // One of the mutating calls writes this line, which does not say which call.
  snapshot: { actor: () => 'snapshot' },
};

export function actorOf(line: LogLine): Actor {
  return line.type === 'oxbow' ? kindOf(line.payload).actor(line.payload) : 'turn';
}

export function callActor(callId: string): Actor {
  return `call ${callId}`;
}

/** Returns the fields of a line's payload that may differ from run to run. */
export function uncomparedFields(line: LogLine): readonly string[] {
  if (line.type === 'session_meta') return ['timestamp'];
  return (line.type === 'oxbow' && kindOf(line.payload).uncompared) || [];
}

/** Reports whether a line may stand only inside a turn. Lines that a thread begins with may stand anywhere. */
export function isPartOfTurn(line: LogLine): boolean {
  if (line.type !== 'oxbow' || !isReplayed(line)) return false;
  const { kind } = line.payload;
  return kind !== 'checkpoint' && kind !== 'prefix.changed' && !isFromOutside(line);
}

/** Reports whether a line is input from outside. */
export function isFromOutside(line: LogLine): boolean {
  return isKnown(line) && actorOf(line) === 'outside';
}

/** Reports whether a replay writes such a line. False for lines of a newer version, too. */
export function isReplayed(line: LogLine): boolean {
  return isKnown(line) && !(line.type === 'oxbow' && kindOf(line.payload).isLeftOut);
}

function isKnown(line: LogLine): boolean {
  return line.type !== 'oxbow' || Object.hasOwn(OWN_KINDS, line.payload.kind);
}

function kindOf(line: OxbowLine): Kind<OxbowLine> {
  return OWN_KINDS[line.kind] as Kind<OxbowLine>;
}
