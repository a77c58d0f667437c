/** Source of ids such as `call_1`, `call_2` and `msg_1`. Each prefix has its own counter. */
export interface Ids {
  next(prefix: string): string;
}

/** Returns a source of ids that count from 1. */
export function createIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${count}`;
    },
  };
}
