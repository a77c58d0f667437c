import { lookup } from 'node:dns/promises';

/** A resolver returns the addresses of a name. Rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface ResolveLimits {
  readonly timeoutMs: number;
  /** Most lookups at once. Each occupies one of Node's few threads, and slow lookups must not occupy all of them. */
  readonly atOnce: number;
}

/** Resolves a name as the system does, hosts file included. */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Returns a resolver with limits: on the number of lookups at once, on the time of each, and to one lookup at a time
 * for a name.
 */
export function limitResolve(resolve: Resolve, { timeoutMs, atOnce }: ResolveLimits): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>();
  const waiting: (() => void)[] = [];
  let free = atOnce;

  async function ask(name: string): Promise<readonly string[]> {
    if (free > 0) free -= 1;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await resolve(name);
    } finally {
      underWay.delete(name);
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  return (name) => {
    const asked = underWay.get(name) ?? ask(name);
    underWay.set(name, asked);
    return withTimeout(asked, timeoutMs, `${name} was not resolved within ${timeoutMs / 1000} seconds`);
  };
}

async function withTimeout<T>(promise: Promise<T>, ms: number, why: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(why)), ms).unref();
  });
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
