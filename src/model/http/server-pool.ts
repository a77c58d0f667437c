import type { Socket } from 'node:net';
import { abortedError, idleTimeoutError, type SendOptions } from '../http.ts';
import { clampTimer } from '../idle-timer.ts';
import type { Connect } from './connect.ts';
import { Connection, type ConnectionOwner, hangUp } from './connection.ts';
import { createHeadReader } from './read-head.ts';

/** The connections to one server. */
export interface ServerPool {
  /** Removes and returns the free connection that was used last; undefined when there is none. */
  take(): Connection | undefined;
  /** Opens a connection. Rejects, and leaves no socket open, when the signal aborts or the time is over first. */
  open(limits: OpenLimits): Promise<Connection>;
  /** Reports whether no connection is free, but one that reads the end of an unwanted response may soon be. */
  isDraining(): boolean;
  /** Resolves when a connection is free again, or after a short time: the next request often follows at once. */
  drained(): Promise<void>;
  /**
   * Ends connections that have been free since before a time. Returns the time since which the oldest of the others is
   * free, or infinity.
   */
  endIdle(before: number): number;
  /** Ends all connections. Resolves when no socket is left. */
  close(reason: Error): Promise<void>;
}

type OpenLimits = Pick<SendOptions, 'idleTimeoutMs' | 'signal'>;

export interface ServerPoolOptions {
  readonly connect: Connect;
  readonly connectTimeoutMs: number;
  /** Called when a connection becomes free. */
  onFree(): void;
}

const MAX_FREE = 256;

export function createServerPool({ connect, connectTimeoutMs, onFree }: ServerPoolOptions): ServerPool {
  const all = new Set<Connection>();
  /** In the order in which they became free. */
  const free: Connection[] = [];
  const draining = createDraining();
  let isClosed = false;
  let onEmpty = () => {};
  const owner: ConnectionOwner = {
    readHead: createHeadReader(),
    free(connection) {
      if (isClosed || free.length >= MAX_FREE) connection.close();
      else {
        free.push(connection);
        onFree();
      }
      draining.remove(connection);
    },
    draining: draining.add,
    gone(connection) {
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
      draining.remove(connection);
      all.delete(connection);
      if (all.size === 0) onEmpty();
    },
  };
  const opening = createOpening(connect, connectTimeoutMs, (socket) => {
    const connection = new Connection(socket, owner);
    all.add(connection);
    return connection;
  });
  return {
    take() {
      for (;;) {
        const connection = free.pop();
        if (connection === undefined || connection.isUsable()) return connection;
        connection.close();
      }
    },
    open: opening.open,
    isDraining: () => free.length === 0 && draining.count() > 0,
    drained: draining.next,
    endIdle(before) {
      const kept = free.findIndex(({ freeSince }) => freeSince > before);
      for (const connection of free.splice(0, kept < 0 ? free.length : kept)) connection.close();
      return free[0]?.freeSince ?? Number.POSITIVE_INFINITY;
    },
    async close(reason) {
      isClosed = true;
      free.length = 0;
      for (const connection of all) connection.close(reason);
      await opening.abort(reason);
      if (all.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
  };
}

/** Returns the set of connections that are being opened. */
function createOpening(connect: Connect, connectTimeoutMs: number, accept: (socket: Socket) => Connection) {
  const opening = new Map<AbortController, Promise<Connection>>();
  const openUnless = async (ending: AbortController, { idleTimeoutMs, signal }: OpenLimits): Promise<Connection> => {
    const onAbort = () => ending.abort(abortedError());
    // The system would wait minutes for a host that drops packets.
    const onTimeout = () => ending.abort(idleTimeoutMs < connectTimeoutMs ? idleTimeoutError() : timeoutError());
    const timer = setTimeout(onTimeout, clampTimer(Math.min(connectTimeoutMs, idleTimeoutMs)));
    signal.addEventListener('abort', onAbort);
    try {
      const socket = await connect(ending.signal);
      if (!ending.signal.aborted && !socket.destroyed) return accept(socket);
      socket.destroy();
      throw ending.signal.reason ?? hangUp();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
  return {
    open(limits: OpenLimits): Promise<Connection> {
      const ending = new AbortController();
      const opened = openUnless(ending, limits).finally(() => opening.delete(ending));
      opening.set(ending, opened);
      return opened;
    },
    async abort(reason: Error): Promise<void> {
      for (const ending of opening.keys()) ending.abort(reason);
      await Promise.allSettled(opening.values());
    },
  };
}

function timeoutError(): Error {
  return Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' });
}

const MAX_DRAIN_WAIT_MS = 25;

/** Returns the set of connections that read to the end of an unwanted response, and the requests that wait for one. */
function createDraining() {
  const connections = new Set<Connection>();
  const waiting = new Set<() => void>();
  return {
    count: () => connections.size,
    add: (connection: Connection) => void connections.add(connection),
    remove(connection: Connection) {
      if (connections.delete(connection)) for (const done of waiting) done();
    },
    next: () =>
      new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, MAX_DRAIN_WAIT_MS);
        waiting.add(done);
      }),
  };
}
