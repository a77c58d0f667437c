/**
 * Returns an iterable that is made when its first value is asked for. Values are passed on as they are: a generator around
 * the other one would take as long for each as reading a line does.
 */
export function lazyIterable<T>(load: () => Promise<AsyncIterable<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      let values: AsyncIterator<T> | undefined;
      const begin = async () => {
        values = (await load())[Symbol.asyncIterator]();
        return values.next();
      };
      return {
        next: () => values?.next() ?? begin(),
        async return() {
          await values?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
