import type { Event, ThreadItem } from '../../base/event.ts';

/** Counts of the work of a turn, in one line. */
export interface TurnCounts {
  follow(event: Event): void;
  /** Returns the line. Undefined for a turn that only talked. */
  text(): string | undefined;
}

/** Returns the counts of the current turn. Files that commands change are not known, and not counted. */
export function createTurnCounts(): TurnCounts {
  const files = new Set<string>();
  const counts = { commands: 0, failed: 0, refused: 0, retries: 0 };

  function add(item: ThreadItem): void {
    if (item.type === 'file_change' && item.status === 'completed')
      for (const { path, to } of item.changes) files.add(to ?? path);
    if (!('status' in item)) return;
    if (item.type === 'command' && item.status !== 'declined') counts.commands++;
    if (item.status === 'declined') counts.refused++;
    if (item.status === 'failed') counts.failed++;
  }

  return {
    follow(event) {
      if (event.type === 'turn.started') {
        files.clear();
        Object.assign(counts, { commands: 0, failed: 0, refused: 0, retries: 0 });
      }
      if (event.type === 'item.completed') add(event.item);
      if (event.type === 'turn.ledger') counts.retries = event.ledger.retries;
    },
    text() {
      const parts = [
        counted(files.size, 'file changed by patches', 'files changed by patches'),
        counted(counts.commands, 'command', 'commands'),
        counted(counts.failed, 'failed', 'failed'),
        counted(counts.refused, 'refused', 'refused'),
        counted(counts.retries, 'retry', 'retries'),
      ].filter((part) => part !== undefined);
      return parts.length === 0 ? undefined : parts.join(', ');
    },
  };
}

function counted(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}
