/**
 * The pace at which the threads of an agent work. A process has one event loop, and each request of a thread keeps it busy
 * for about a millisecond. A thousand threads that begin at once would keep it busy for seconds, and would all hold their
 * requests in memory meanwhile.
 */
export interface ThreadPace {
  /** Resolves when a thread may begin, or begin a turn, or make its environment. */
  begin(): Promise<void>;
  /** Resolves when a thread may send a request. */
  request(): Promise<void>;
}

/** In one round of the event loop. There are more requests than beginnings, so that most turns end before others begin. */
const MAX_REQUESTS = 4;
const MAX_BEGINNINGS = 1;

export function createThreadPace(): ThreadPace {
  return { begin: createGate(MAX_BEGINNINGS), request: createGate(MAX_REQUESTS) };
}

/** Returns a function that resolves for the first few callers in a round of the event loop. Others wait, in order. */
function createGate(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let room = most;
  let round: NodeJS.Immediate | undefined;
  const nextRound = () => {
    room = most;
    round = undefined;
    while (room > 0 && waiting.length > 0) {
      enter();
      waiting.shift()?.();
    }
    if (waiting.length > 0) keepRunning();
  };
  const keepRunning = () => void round?.ref();
  const enter = () => {
    room -= 1;
    // Keeps the process running only while a caller waits.
    round ??= setImmediate(nextRound).unref();
  };
  return async () => {
    if (room > 0) {
      enter();
      return;
    }
    keepRunning();
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
