import type { RecordedRequest } from './recorded-request.ts';

/** Requests in the order of arrival. Tests can wait for one to arrive. */
export interface RequestList {
  readonly requests: readonly RecordedRequest[];
  /** Adds a request. Returns its number, from 1. */
  add(request: RecordedRequest): number;
  wait(n: number, timeoutMs: number): Promise<RecordedRequest>;
  /** Ends the list: no more requests will arrive. Rejects all waits. */
  close(): void;
}

interface Waiter {
  readonly n: number;
  found(request: RecordedRequest): void;
  fail(why: string): void;
}

export function createRequestList(): RequestList {
  const requests: RecordedRequest[] = [];
  const waiters = new Set<Waiter>();
  let closed = false;

  return {
    requests,
    add(request) {
      const n = requests.push(request);
      for (const waiter of waiters) if (waiter.n === n) waiter.found(request);
      return n;
    },
    wait(n, timeoutMs) {
      const promise = new Promise<RecordedRequest>((resolve, reject) => {
        const request = requests[n - 1];
        if (request) return resolve(request);
        const settle = () => {
          waiters.delete(waiter);
          clearTimeout(timer);
        };
        const waiter: Waiter = {
          n,
          found(request) {
            settle();
            resolve(request);
          },
          fail(why) {
            settle();
            reject(new Error(`Request ${n} did not come: ${why}. Requests so far: ${requests.length}.`));
          },
        };
        const timer = setTimeout(() => waiter.fail(`${timeoutMs} ms have passed`), timeoutMs);
        waiters.add(waiter);
        if (closed) waiter.fail('the scripted model is closed');
      });
      // A test that failed elsewhere no longer awaits the promise. Its rejection must not end the process.
      promise.catch(() => {});
      return promise;
    },
    close() {
      closed = true;
      for (const waiter of waiters) waiter.fail('the scripted model was closed');
    },
  };
}
