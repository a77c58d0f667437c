import type { EndSignal } from '../../model/end-signal.ts';
import { ClientError } from '../../wire/edge/client-error.ts';

/** Room in memory for the bodies of requests. All exchanges of a gateway share it. */
export interface BodyRoom {
  /**
   * Takes room for a body, at once if there is room, otherwise in the order of the requests. Throws `ClientError` when
   * there is none for too long, and when the exchange ends first. A body that is larger than all the room gets it alone.
   */
  take(bytes: number, options: BodyRoomOptions): TakenRoom | Promise<TakenRoom>;
}

export interface BodyRoomOptions {
  /** Size of all bodies together. */
  readonly maxBytes: number;
  readonly waitMs: number;
  readonly signal: EndSignal;
}

export interface TakenRoom {
  /** Returns the part of the room that the body does not need. */
  shrink(bytes: number): void;
  /** Returns the room. A second call has no effect. */
  release(): void;
}

interface WaitingBody {
  readonly bytes: number;
  readonly maxBytes: number;
  readonly go: () => void;
}

export function createBodyRoom(): BodyRoom {
  let used = 0;
  const waiting = new Set<WaitingBody>();
  const fits = ({ bytes, maxBytes }: Omit<WaitingBody, 'go'>) => used === 0 || used + bytes <= maxBytes;
  const free = (bytes: number): void => {
    used -= bytes;
    for (const next of waiting) {
      if (!fits(next)) return;
      used += next.bytes;
      waiting.delete(next);
      next.go();
    }
  };
  const roomOf = (bytes: number): TakenRoom => {
    let taken = bytes;
    const shrink = (rest: number): void => {
      const spare = Math.max(0, taken - rest);
      taken -= spare;
      if (spare > 0) free(spare);
    };
    return { shrink, release: () => shrink(0) };
  };
  return {
    take(bytes, { maxBytes, waitMs, signal }) {
      if (waiting.size > 0 || !fits({ bytes, maxBytes }))
        return inTurn(waiting, { bytes, maxBytes }, { waitMs, signal }).then(() => roomOf(bytes));
      used += bytes;
      return roomOf(bytes);
    },
  };
}

function inTurn(
  waiting: Set<WaitingBody>,
  body: Omit<WaitingBody, 'go'>,
  { waitMs, signal }: Pick<BodyRoomOptions, 'waitMs' | 'signal'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      waiting.delete(entry);
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = () => end(() => reject(new Error('The exchange was over before its request was read.')));
    const entry: WaitingBody = { ...body, go: () => end(resolve) };
    const timer = setTimeout(() => end(() => reject(noRoom())), waitMs);
    waiting.add(entry);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

function noRoom(): ClientError {
  const said =
    'The gateway has as much in memory as it accepts: the requests under way are large. Try again in a moment.';
  return new ClientError(said, { status: 503, code: 'server_is_overloaded', retryAfterMs: 5000 });
}
