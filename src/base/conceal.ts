/** The symbol by which Node's `util.inspect`, and so `console.log`, asks an object how to show itself. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Makes some fields of an object invisible to `JSON.stringify` and `console.log`, so that a program that logs the object
 * writes no key into its logs. The fields stay readable. Returns the object.
 */
export function conceal<T extends object>(object: T, fields: readonly (keyof T)[]): T {
  const hidden = new Set<PropertyKey>(fields);
  const shown = () =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, hidden.has(key) ? '[hidden]' : value]));
  for (const name of ['toJSON', INSPECT]) Object.defineProperty(object, name, { value: shown, enumerable: false });
  return object;
}
