import type { ThreadSummary } from '../../app/threads/threads.ts';
import type { ListRow } from '../list.ts';
import type { Session } from '../session.ts';

const MOST_THREADS = 200;

/** Returns the rows of the threads of this folder, or of all folders, without the one that is open. */
export async function threadRows({ agent, model }: Session, allFolders: boolean): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  const cwd = allFolders ? {} : { cwd: agent.config.cwd };
  for await (const thread of agent.threads.list({ limit: MOST_THREADS, ...cwd }))
    if (thread.id !== model.thread?.id) rows.push(rowOf(thread, Date.now()));
  return rows;
}

function rowOf({ id, name, preview, changedAt, cwd }: ThreadSummary, now: number): ListRow {
  const label = (name ?? preview ?? id).replace(/\s+/g, ' ').trim();
  return { value: id, label, detail: `${age(now - Date.parse(changedAt))}  ${cwd ?? ''}` };
}

/** Returns a time span in its largest unit. */
export function age(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
