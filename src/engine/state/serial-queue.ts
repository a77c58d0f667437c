/** Returns a function that runs work one after the other. Failed work does not stop the next. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.then(nothing, nothing);
    return result;
  };
}

function nothing(): void {}
