import type { TuiMessage } from './message.ts';

/**
 * The request of a prompt from the command line. Everything that it does not need waits for it: frames, the draft, earlier
 * prompts, the watch over the terminal.
 */
export interface FirstRequest {
  /** Resolves when the request is on its way, or at once if there is no prompt. */
  readonly sent: Promise<void>;
  /** Takes note of a message. */
  follow(message: TuiMessage): void;
}

/** Longest wait. A server of MCP, or a question to the user, may come before the request. */
const MOST_MS = 100;
/** More time than the request takes to be sent once the prompt is in the thread. */
const SENDING_MS = 8;

/** Waits for the first request if there will be one. */
export function createFirstRequest(isExpected: boolean): FirstRequest {
  let isSent = !isExpected;
  let end = () => {};
  const sent = isSent
    ? Promise.resolve()
    : new Promise<void>((resolve) => {
        end = () => {
          isSent = true;
          resolve();
        };
        setTimeout(end, MOST_MS);
      });
  return {
    sent,
    follow(message) {
      if (!isSent && message.type === 'event' && message.event.type === 'item.completed') setTimeout(end, SENDING_MS);
    },
  };
}
