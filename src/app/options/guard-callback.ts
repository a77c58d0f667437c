import { messageOf } from '../../base/errors.ts';

/**
 * Returns a function that calls a callback of the embedding program and never throws. A turn costs money, so a mistake
 * in a callback must not decide how it ends. The first failure, of a promise too, is reported with the callback's name.
 */
export function guardCallback<A extends readonly unknown[]>(
  name: string,
  callback: (...args: A) => unknown,
  onFailure: (message: string) => void,
): (...args: A) => void {
  let failed = false;
  const fail = (error: unknown) => {
    if (failed) return;
    failed = true;
    onFailure(`The program's own function \`${name}\` failed, and is still called: ${messageOf(error)}`);
  };
  return (...args) => {
    try {
      const result = callback(...args);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
