import { callId } from '../../wire/lowering/own-ids.ts';
import type { RepairId } from '../catalog.ts';
import type { RepairContext } from '../context.ts';
import { MAX_CALLS } from '../limits.ts';
import type { RepairReporter } from '../report.ts';
import type { FrameQueue } from './frame-queue.ts';

/** What the parts of a response share. */
export interface ChatRepairState {
  readonly context: RepairContext;
  readonly queue: FrameQueue;
  readonly reporter: RepairReporter;
  /** The server's name for the response; ids are made of it. */
  id: string;
  /** The ids of its calls. */
  readonly callIds: Set<string>;
  /** Why it was given up: a sentence for the user. Nothing goes out after it. */
  givenUp: string | undefined;
  /** It failed, and that was said: what comes now passes as it is. */
  failed: boolean;
}

/** What a server refuses to have sent back. */
const MAX_ID_CHARS = 64;

export interface AdmittedCall {
  readonly id: string;
  /** What was wrong with the id that the server gave. */
  readonly repair?: RepairId;
}

/** A further call: with the id that the server gave if it can be used, else with one of its own. */
export function admitCall(response: ChatRepairState, given: string): AdmittedCall {
  const { callIds, context } = response;
  if (callIds.size >= MAX_CALLS) giveUp(response, `more than ${MAX_CALLS} tool calls`, 'Ask for fewer steps at once.');
  const isFree = (id: string) => !callIds.has(id) && !context.isTaken(id);
  const admitted = chooseId(response.id, callIds.size, given, isFree);
  callIds.add(admitted.id);
  return admitted;
}

function chooseId(key: string, place: number, given: string, isFree: (id: string) => boolean): AdmittedCall {
  if (given === '') return { id: mintId(key, place, isFree), repair: 'B3' };
  const isLong = given.length > MAX_ID_CHARS;
  const id = isLong ? callId(given, 0, '') : given;
  if (!isFree(id)) return { id: mintId(key, place, isFree), repair: 'B8' };
  return isLong ? { id, repair: 'B10' } : { id };
}

/** The same id whenever the same response is read. */
function mintId(key: string, place: number, isFree: (id: string) => boolean): string {
  for (let n = 1; ; n++) {
    const id = callId(n === 1 ? key : `${key}-${n}`, place, '');
    if (isFree(id)) return id;
  }
}

/** Says that a limit was passed, and ends the response with that. */
export function giveUp(response: ChatRepairState, found: string, advice: string): void {
  response.givenUp ??= `The server sent ${found}. The response was given up and none of its open calls was run. ${advice}`;
}
