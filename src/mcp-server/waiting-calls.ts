import { randomUUID } from 'node:crypto';
import type { RunningCall } from './running-call.ts';

/** Calls that stopped at questions, until their clients call again with the answers. */
export interface WaitingCalls {
  /** Keeps a call. Returns the text by which its client names the call, once. */
  add(call: RunningCall): string;
  /** Returns and forgets the call behind a text; undefined if there is none. */
  take(state: string): RunningCall | undefined;
  close(): void;
}

/** Time for the answers. A client that never calls again must not keep a turn forever. */
const ANSWER_MS = 10 * 60_000;

export function createWaitingCalls(answerMs: number = ANSWER_MS): WaitingCalls {
  const calls = new Map<string, { readonly call: RunningCall; readonly timer: NodeJS.Timeout }>();
  return {
    add(call) {
      const state = randomUUID();
      const timer = setTimeout(() => {
        calls.delete(state);
        call.interrupt(tooLate(answerMs));
      }, answerMs);
      calls.set(state, { call, timer });
      return state;
    },
    take(state) {
      const found = calls.get(state);
      clearTimeout(found?.timer);
      calls.delete(state);
      return found?.call;
    },
    close() {
      for (const { timer } of calls.values()) clearTimeout(timer);
      calls.clear();
    },
  };
}

function tooLate(answerMs: number): string {
  const time = answerMs < 60_000 ? `${answerMs / 1000} seconds` : `${answerMs / 60_000} minutes`;
  return `The questions of the turn were not answered within ${time}, so the turn was interrupted.`;
}
