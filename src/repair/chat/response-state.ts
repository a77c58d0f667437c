import { callId } from '../../wire/lowering/own-ids.ts';
import type { RepairId } from '../catalog.ts';
import type { RepairContext } from '../context.ts';
import { MAX_CALLS } from '../limits.ts';
import { RepairReporter } from '../report.ts';
import { TextAmount } from '../text-amount.ts';
import { createFrameQueue, type FrameQueue } from './frame-queue.ts';

/** State that the choices of a response share. */
export interface ChatRepairState {
  readonly context: RepairContext;
  readonly queue: FrameQueue;
  readonly reporter: RepairReporter;
  /** Id of the response, from which ids of calls are made. */
  id: string;
  /** Ids of the calls of the response. */
  readonly callIds: Set<string>;
  readonly text: TextAmount;
  /** Why the response was given up, as a sentence for the user. Nothing goes out after it. */
  givenUp: string | undefined;
  /** Whether a failure was sent. Everything after it passes unchanged. */
  failed: boolean;
}

export function openChatResponse(context: RepairContext): ChatRepairState {
  const response: ChatRepairState = {
    context,
    queue: createFrameQueue(),
    reporter: new RepairReporter(context.onRepair),
    id: '',
    callIds: new Set(),
    text: new TextAmount((found) => giveUp(response, found, 'Ask for a shorter answer.')),
    givenUp: undefined,
    failed: false,
  };
  return response;
}

/** Servers refuse longer ids in a later request. */
const MAX_ID_CHARS = 64;

export interface AdmittedCall {
  readonly id: string;
  /** Fault of the server's id. */
  readonly repair?: RepairId;
}

/** Admits a further call, with the server's id if that can be used, otherwise with a made one. */
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

/** Returns a free id. The same response always has the same ids. */
function mintId(key: string, place: number, isFree: (id: string) => boolean): string {
  for (let n = 1; ; n++) {
    const id = callId(n === 1 ? key : `${key}-${n}`, place, '');
    if (isFree(id)) return id;
  }
}

/** Gives the response up because of a limit. */
export function giveUp(response: ChatRepairState, found: string, advice: string): void {
  response.givenUp ??= `The server sent ${found}. The response was given up and none of its open calls was run. ${advice}`;
}
