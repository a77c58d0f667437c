/**
 * Returns an iterable that is made when its first value is requested. Values are passed on without a generator in
 * between, which would take as long for each value as reading a line does.
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
