/** Begins each piece of work when the one before it is over, however that ended. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.then(nothing, nothing);
    return result;
  };
}

function nothing(): void {}
