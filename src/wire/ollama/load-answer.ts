import type { Fields } from '../fields/request-fields.ts';

/**
 * Returns the answer to a request that only loads or unloads its model. Clients begin with such a request and give up
 * where it fails. `said` is the empty answer in the form of the request.
 */
export function loadAnswer({ model, keep_alive }: Fields, createdAt: number, said: Fields): Fields {
  const done_reason = UNLOADS.has(keep_alive) ? 'unload' : 'load';
  return { model, created_at: new Date(createdAt * 1000).toISOString(), ...said, done: true, done_reason };
}

/** Times for which a model stays in memory, if they are none. */
const UNLOADS: ReadonlySet<unknown> = new Set([0, '0', '0s', '0m']);

/** Reports whether a text or a list of a request is absent or empty. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
