import { UserError } from './errors.ts';

/** Returns the error for a thread that a store does not have. */
export function noThread(reference: string, store: string): UserError {
  return new UserError('not_found', `There is no thread ${reference} in ${store}.`);
}
