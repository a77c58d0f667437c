import type { ProbeAnswer } from './answer.ts';
import type { ProbeRun } from './probe-run.ts';

/** A question about a server, and the requests that answer it. */
export interface Check {
  readonly id: string;
  /** Number of requests to a server that refuses nothing. */
  readonly asks: number;
  run(run: ProbeRun): Promise<CheckOutcome>;
}

/**
 * The result of a check. `ok`: as the protocol says. `note`: different, or something is missing. `failed`: the server
 * refused the request or gave no answer.
 */
export interface CheckOutcome {
  readonly status: 'ok' | 'note' | 'failed';
  /** Result in a few words. */
  readonly says: string;
}

export const ok = (says: string): CheckOutcome => ({ status: 'ok', says });
export const note = (says: string): CheckOutcome => ({ status: 'note', says });

/** Returns the outcome of an answer that failed; undefined for any other. */
export function failure({ error }: ProbeAnswer): CheckOutcome | undefined {
  return error === undefined ? undefined : { status: 'failed', says: error.message };
}
