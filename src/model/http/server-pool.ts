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
  /**
   * Opens a connection, or waits for one when the limit is reached. Rejects, and leaves no socket open, when the signal
   * aborts or the time to connect is over first.
   */
  open(limits: OpenLimits): Promise<Connection>;
  /**
   * Reports whether no connection is free, but one may soon be: it reads the end of an unwanted response, or its response
   * has just ended.
   */
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
  /** Reports whether there may be one more connection than these. A request waits otherwise. */
  mayOpen(connections: number): boolean;
  /** Called when a connection becomes free. */
  onFree(): void;
}

const MAX_FREE = 256;

export function createServerPool({ connect, connectTimeoutMs, mayOpen, onFree }: ServerPoolOptions): ServerPool {
  const all = new Set<Connection>();
  /** In the order in which they became free. */
  const free: Connection[] = [];
  const draining = createDraining();
  let isClosed = false;
  let onEmpty = () => {};
  const settle = createSettling((connection) => {
    if (isClosed || free.length >= MAX_FREE || !connection.isUsable()) connection.close();
    else if (!queue.give(connection) && free.push(connection) > 0) onFree();
    draining.remove(connection);
  });
  const owner: ConnectionOwner = {
    readHead: createHeadReader(),
    free(connection) {
      if (!connection.isProven) draining.add(connection);
      settle(connection);
    },
    draining: draining.add,
    gone(connection) {
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
      draining.remove(connection);
      all.delete(connection);
      queue.open();
      if (all.size === 0) onEmpty();
    },
  };
  const opening = createOpening(connect, connectTimeoutMs, (socket) => {
    const connection = new Connection(socket, owner);
    all.add(connection);
    return connection;
  });
  const queue = createQueue(opening.open, () => !isClosed && mayOpen(all.size + opening.count()));
  return {
    take() {
      for (;;) {
        const connection = free.pop();
        if (connection === undefined || connection.isUsable()) return connection;
        connection.close();
      }
    },
    open: queue.wait,
    isDraining: () => free.length === 0 && draining.hasMore(),
    drained: draining.next,
    endIdle(before) {
      const kept = free.findIndex(({ freeSince }) => freeSince > before);
      for (const connection of free.splice(0, kept < 0 ? free.length : kept)) connection.close();
      return free[0]?.freeSince ?? Number.POSITIVE_INFINITY;
    },
    async close(reason) {
      isClosed = true;
      free.length = 0;
      queue.refuse(reason);
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
    count: () => opening.size,
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

interface Waiter {
  readonly limits: OpenLimits;
  give(connection: Connection | Promise<Connection>): void;
  refuse(reason: Error): void;
}

/** Returns the requests that wait for a connection, in the order in which they came. */
function createQueue(open: ServerPool['open'], hasRoom: () => boolean) {
  const waiting = new Set<Waiter>();
  const openNext = () => {
    for (const waiter of waiting) {
      if (!hasRoom()) return;
      waiter.give(openOne(waiter.limits));
    }
  };
  const openOne = async (limits: OpenLimits): Promise<Connection> => {
    try {
      return await open(limits);
    } catch (error) {
      openNext();
      throw error;
    }
  };
  return {
    wait: (limits: OpenLimits) =>
      hasRoom() ? openOne(limits) : new Promise<Connection>((...settle) => void waiting.add(waiterOf(limits, settle))),
    /** Opens connections for waiting requests as far as there is room. */
    open: openNext,
    /** Hands a connection to the first request. Returns false if no request waits. */
    give(connection: Connection): boolean {
      const [first] = waiting;
      first?.give(connection);
      return first !== undefined;
    },
    refuse(reason: Error): void {
      for (const waiter of waiting) waiter.refuse(reason);
    },
  };

  function waiterOf(limits: OpenLimits, [resolve, reject]: Settle): Waiter {
    const leave = () => {
      waiting.delete(waiter);
      limits.signal.removeEventListener('abort', onAbort);
    };
    const waiter: Waiter = {
      limits,
      give(connection) {
        leave();
        resolve(connection);
      },
      refuse(reason) {
        leave();
        reject(reason);
      },
    };
    const onAbort = () => waiter.refuse(abortedError());
    limits.signal.addEventListener('abort', onAbort);
    return waiter;
  }
}

type Settle = readonly [
  resolve: (connection: Connection | Promise<Connection>) => void,
  reject: (reason: Error) => void,
];

/**
 * Returns a function that calls back with a connection after one more look for events. A server may end a connection
 * together with its answer. A request over that connection would have to be sent again. A connection that outlived an
 * answer before is used at once.
 */
function createSettling(onSettled: (connection: Connection) => void): (connection: Connection) => void {
  let batch: Connection[] | undefined;
  return (connection) => {
    if (connection.isProven) {
      onSettled(connection);
      return;
    }
    if (batch === undefined) {
      const begun: Connection[] = [];
      batch = begun;
      // The first immediate runs before the look, the second one after it.
      setImmediate(() => {
        batch = undefined;
        setImmediate(() => begun.forEach(onSettled));
      });
    }
    batch.push(connection);
  };
}

const MAX_DRAIN_WAIT_MS = 25;

/** Returns the set of connections that will soon be free or gone, and the requests that wait for one. */
function createDraining() {
  const connections = new Set<Connection>();
  const waiting = new Set<() => void>();
  return {
    /** Reports whether more connections than requests are there. */
    hasMore: () => connections.size > waiting.size,
    add: (connection: Connection) => void connections.add(connection),
    remove(connection: Connection) {
      connections.delete(connection);
      if (waiting.size === 0) return;
      const [first] = waiting;
      first?.();
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
