/** Names things `call_1`, `call_2`, `msg_1`, …: each prefix counts for itself. */
export interface Ids {
  next(prefix: string): string;
}

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
