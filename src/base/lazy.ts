/** A value that is made or loaded when it is first needed. */
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
