import type { LineAppender } from './line-appender.ts';

/** The files that a store has open. A process may open about a thousand, and as many threads may be at work. */
export interface OpenFiles {
  /** Notes that a file was written to, and closes the file that was not written to for the longest time. */
  written(file: Pick<LineAppender, 'rest'>): void;
  /** Notes that a file was closed. */
  closed(file: Pick<LineAppender, 'rest'>): void;
}

const MAX_OPEN = 64;

export function createOpenFiles(most = MAX_OPEN): OpenFiles {
  /** In the order of their last lines. */
  const open = new Set<Pick<LineAppender, 'rest'>>();
  return {
    written(file) {
      open.delete(file);
      open.add(file);
      const [oldest] = open;
      if (oldest === undefined || open.size <= most) return;
      open.delete(oldest);
      oldest.rest();
    },
    closed: (file) => void open.delete(file),
  };
}
