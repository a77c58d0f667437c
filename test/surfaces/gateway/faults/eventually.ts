import { expect } from 'vitest';

/** Retries an assertion until it holds, for longer than the busiest machine should need. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 20_000, interval: 20 });
}
