import type { ThreadSummary } from '../../app/threads/threads.ts';
import { relativeTime } from '../../text/relative-time.ts';
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
  return { value: id, label, detail: `${relativeTime(changedAt, now)}  ${cwd ?? ''}` };
}
