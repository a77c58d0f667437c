/** A value that is made or loaded at its first use. */
export type Lazy<T> = () => Promise<T>;

/** Returns a loader that loads once. A failed load is tried again. */
export function lazy<T>(load: Lazy<T>): Lazy<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= load().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

/**
 * Returns the named methods of an object that is loaded by each call of one of them. Only methods that return promises can
 * wait for the object.
 */
export function lazyMethods<K extends string, T extends Record<K, (...args: never[]) => Promise<unknown>>>(
  load: Lazy<T>,
  names: readonly K[],
): Pick<T, K> {
  const methods = names.map((name) => [name, (...args: never[]) => load().then((object) => object[name](...args))]);
  return Object.fromEntries(methods) as Pick<T, K>;
}
