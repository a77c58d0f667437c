import { wordedMessage } from './wording.ts';

/** Outcome of work that may have failed, with the reason as a sentence. */
export type AttemptOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export function attempt<T>(make: () => T): AttemptOutcome<T> {
  try {
    return { ok: true, value: make() };
  } catch (error) {
    return { ok: false, why: wordedMessage(error) };
  }
}
