const QUICK = 40;

/**
 * Returns how often a property runs, or how many samples a test takes: at most 40, at most the number in `OXBOW_TEST_RUNS`,
 * or `full` where that variable is `full`.
 */
export function runs(full: number): number {
  return isFull() ? full : Math.min(full, Number(process.env.OXBOW_TEST_RUNS ?? QUICK));
}

/**
 * Returns the elements of a list, or as many of them as a quick run takes, evenly spread. `most` is a lower limit for
 * elements that take long.
 */
export function sampled<T>(list: readonly T[], most = list.length): readonly T[] {
  const count = isFull() ? list.length : Math.min(runs(list.length), most);
  return list.filter(
    (_, at) => Math.floor((at * count) / list.length) !== Math.floor(((at - 1) * count) / list.length),
  );
}

/** Reports whether every sample is wanted. */
export function isFull(): boolean {
  return process.env.OXBOW_TEST_RUNS === 'full';
}
