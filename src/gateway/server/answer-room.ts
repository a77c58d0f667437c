import { ClientError } from '../../wire/edge/client-error.ts';

/** Room in memory for answers whose clients are slow to read. All exchanges of a gateway share it. */
export interface AnswerRoom {
  /**
   * Waits until a slow client has read, while its exchange keeps these bytes. Throws `ClientError` when the answers that
   * wait take more than `maxBytes` and this one has waited longest. An answer may take all the room alone.
   */
  wait(drained: Promise<unknown>, bytes: number, maxBytes: number): Promise<void>;
}

interface WaitingAnswer {
  readonly bytes: number;
  readonly drop: (error: ClientError) => void;
}

export function createAnswerRoom(): AnswerRoom {
  let used = 0;
  const waiting = new Set<WaitingAnswer>();
  return {
    wait: (drained, bytes, maxBytes) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          if (waiting.delete(answer)) used -= bytes;
          settle();
        };
        const answer: WaitingAnswer = { bytes, drop: (error) => end(() => reject(error)) };
        waiting.add(answer);
        used += bytes;
        for (const longest of waiting) {
          if (used <= maxBytes || waiting.size === 1) break;
          longest.drop(tooSlow());
        }
        drained.then(
          () => end(resolve),
          (error) => end(() => reject(error)),
        );
      }),
  };
}

function tooSlow(): ClientError {
  const said =
    'The gateway has as much in memory as it keeps for clients that read slowly, and this client has waited longest.';
  return new ClientError(said, { status: 503, code: 'slow_client' });
}
