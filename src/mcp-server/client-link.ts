import type { CodexMessage } from './codex-message.ts';
import { progressText } from './progress-text.ts';

/** The way from a call to the client that waits for its result. */
export interface ClientLink {
  readonly requestId: string | number;
  readonly progressToken: string | number | undefined;
  /** Aborts when the client cancels the request, and when the client has gone. */
  readonly signal: AbortSignal;
  /** Sends a notification. Resolves when there is room for more. Rejects when the client has gone. */
  notify(method: string, params: Record<string, unknown>): Promise<void>;
}

/** Sends the messages of one call over a link. */
export interface MessageSender {
  send(message: CodexMessage, threadId: string): Promise<void>;
  close(): void;
}

/** Time between progress notifications of a call that has nothing else to report. */
const HEARTBEAT_MS = 10_000;

/** Returns the sender of a link. A client that sent a progress token gets progress until the sender is closed. */
export function createMessageSender({ requestId, progressToken, notify }: ClientLink): MessageSender {
  let progress = 0;
  const tell = async (message: string) => {
    if (progressToken === undefined) return;
    progress++;
    await notify('notifications/progress', { progressToken, progress, message });
  };
  // A client whose request times out without progress must not lose a turn in which the model thinks for long.
  const heartbeat = setInterval(() => void tell('Working').catch(() => {}), HEARTBEAT_MS);
  return {
    async send(msg, threadId) {
      await notify('codex/event', { _meta: { requestId, threadId }, id: String(requestId), msg });
      const text = progressText(msg);
      if (text !== undefined) await tell(text);
    },
    close: () => clearInterval(heartbeat),
  };
}
