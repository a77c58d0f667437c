import { lookup } from 'node:dns/promises';

/** Gives the addresses of a name. Rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface ResolveLimits {
  readonly timeoutMs: number;
  /** The system's resolver keeps a thread of ours busy, and there are few, so a slow one must not take them all. */
  readonly atOnce: number;
}

/** As the system resolves it, hosts file included. */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/** The same within limits: so many names at once, each asked for once while the answer is on its way, none for ever. */
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
