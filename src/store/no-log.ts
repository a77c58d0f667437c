import type { Log } from '../base/log.ts';

/** The log of a thread that is kept nowhere. */
export const noLog: Log = {
  path: null,
  async append() {},
  async *read() {},
  async *resume() {},
  rest() {},
  async close() {},
};
