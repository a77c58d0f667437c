import type { ResponseStore, StoredItem, StoredResponse } from '../base/response-store.ts';

export interface MemoryResponseStoreOptions {
  /** Time for which an entry can be read after it was put. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Estimated size of all entries together. */
  readonly maxBytes: number;
  now(): number;
}

/**
 * Returns a store in memory. When it is full, the least recently used entries are dropped. An entry that is larger than
 * the whole store is not kept. There is no timer: expired entries are dropped when the store is next used.
 */
export function createMemoryResponseStore(options: MemoryResponseStoreOptions): ResponseStore {
  const { ttlMs, maxEntries, maxBytes, now } = options;
  /** The least recently used first. */
  const byUse = new Map<string, Kept>();
  /** The oldest first. */
  const byAge = new Map<string, Kept>();
  const items = createItemIndex();
  let bytes = 0;

  function remove(id: string): boolean {
    const kept = byUse.get(id);
    if (kept === undefined) return false;
    bytes -= kept.bytes;
    byAge.delete(id);
    items.remove(id, kept.entry);
    return byUse.delete(id);
  }

  function removeOld(): void {
    for (const [id, { until }] of byAge) {
      if (until > now()) return;
      remove(id);
    }
  }

  function removeUnused(): void {
    for (const id of byUse.keys()) {
      if (byUse.size <= maxEntries && bytes <= maxBytes) return;
      remove(id);
    }
  }

  function use(id: string): StoredResponse | undefined {
    removeOld();
    const kept = byUse.get(id);
    if (byUse.delete(id) && kept) byUse.set(id, kept);
    return kept?.entry;
  }

  return {
    async put(id, entry) {
      removeOld();
      remove(id);
      const kept = { entry, bytes: estimateBytes(entry) + id.length, until: now() + ttlMs };
      if (kept.bytes > maxBytes) return;
      byUse.set(id, kept);
      byAge.set(id, kept);
      items.add(id, entry);
      bytes += kept.bytes;
      removeUnused();
    },
    get: async (id) => use(id),
    find: async (itemId) => itemOf(use(items.holderOf(itemId) ?? ''), itemId),
    async delete(id) {
      removeOld();
      return remove(id);
    },
  };
}

interface Kept {
  readonly entry: StoredResponse;
  readonly bytes: number;
  readonly until: number;
}

/** Returns an index of responses by their items. Servers that count their items repeat the ids. */
function createItemIndex() {
  const byItem = new Map<string, Set<string>>();
  return {
    add(id: string, entry: StoredResponse): void {
      for (const itemId of itemIds(entry)) byItem.set(itemId, (byItem.get(itemId) ?? new Set()).add(id));
    },
    remove(id: string, entry: StoredResponse): void {
      for (const itemId of itemIds(entry)) {
        const holders = byItem.get(itemId);
        holders?.delete(id);
        if (holders?.size === 0) byItem.delete(itemId);
      }
    },
    /** Returns the only response with this item. */
    holderOf(itemId: string): string | undefined {
      const [holder, ...others] = byItem.get(itemId) ?? [];
      return others.length > 0 ? undefined : holder;
    },
  };
}

function itemOf(entry: StoredResponse | undefined, itemId: string): StoredItem | undefined {
  const [item, ...same] = entry?.output.filter(({ id }) => id === itemId) ?? [];
  return item === undefined || same.length > 0 ? undefined : { item, keptBy: entry?.keptBy };
}

function itemIds({ output }: StoredResponse): readonly string[] {
  return output.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

const FIELD_BYTES = 16;

/** Returns the approximate size of a JSON value. Values that several entries share count for each of them. */
function estimateBytes(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    bytes += FIELD_BYTES;
    if (typeof next === 'string') bytes += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, below] of Object.entries(next)) {
      if (!Array.isArray(next)) bytes += key.length;
      open.push(below);
    }
  }
  return bytes;
}
