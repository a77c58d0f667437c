const QUICK = 100;

/**
 * Returns how often a property runs, or how many samples a test takes: at most 100, at most the number in `OXBOW_TEST_RUNS`,
 * or `full` where that variable is `full`.
 */
export function runs(full: number): number {
  const asked = process.env.OXBOW_TEST_RUNS ?? QUICK;
  return asked === 'full' ? full : Math.min(full, Number(asked));
}
