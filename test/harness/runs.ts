const QUICK = 40;

/**
 * Returns how often a property runs, or how many samples a test takes: at most 40, at most the number in `OXBOW_TEST_RUNS`,
 * or `full` where that variable is `full`.
 */
export function runs(full: number): number {
  const asked = process.env.OXBOW_TEST_RUNS ?? QUICK;
  return asked === 'full' ? full : Math.min(full, Number(asked));
}

/** Returns the elements of a list, or as many of them as a quick run takes, evenly spread. */
export function sampled<T>(list: readonly T[]): readonly T[] {
  const count = runs(list.length);
  return list.filter(
    (_, at) => Math.floor((at * count) / list.length) !== Math.floor(((at - 1) * count) / list.length),
  );
}
