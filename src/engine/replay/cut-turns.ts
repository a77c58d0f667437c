import type { LogLine } from '../../base/log.ts';
import { isFromOutside } from './line-kinds.ts';
import type { RecordedLine } from './recorded-line.ts';

/** A turn, or the lines before, between or after turns. */
export interface Stretch {
  readonly type: 'turn' | 'between';
  readonly lines: readonly RecordedLine[];
  /** Whether the turn ended, in success or failure. */
  readonly ended: boolean;
}

/** Yields a log in stretches: its turns, and the lines between them. */
export async function* cutTurns(log: AsyncIterable<RecordedLine>): AsyncGenerator<Stretch> {
  let lines: RecordedLine[] = [];
  /** Id of the turn that the lines belong to. */
  let turnId: string | undefined;
  const cut = (ended: boolean): Stretch => ({ type: turnId === undefined ? 'between' : 'turn', lines, ended });
  for await (const recorded of log) {
    const begun = startedTurn(recorded.line);
    if (begun !== undefined) {
      if (lines.length > 0) yield cut(false);
      lines = [];
      turnId = begun;
    }
    lines.push(recorded);
    if (turnId === undefined || endedTurn(recorded.line) !== turnId) continue;
    yield cut(true);
    lines = [];
    turnId = undefined;
  }
  if (lines.length > 0) yield cut(false);
}

/** Reports whether this program wrote the turn. */
export function isOwnTurn({ type, lines }: Stretch): boolean {
  return type === 'turn' && lines.some(({ line }) => line.type === 'oxbow' && !isFromOutside(line));
}

function startedTurn(line: LogLine): string | undefined {
  return line.type === 'event_msg' && line.payload.type === 'task_started' ? idOf(line.payload) : undefined;
}

function endedTurn(line: LogLine): string | undefined {
  if (line.type !== 'event_msg' && line.type !== 'oxbow') return undefined;
  const { payload } = line;
  if ('kind' in payload)
    return payload.kind === 'turn.failed' || payload.kind === 'turn.suspended' ? idOf(payload) : undefined;
  return payload.type === 'task_complete' || payload.type === 'turn_aborted' ? idOf(payload) : undefined;
}

/** Returns the id of a turn. Older programs wrote no id. */
function idOf({ turn_id }: { readonly turn_id?: string }): string {
  return turn_id ?? '';
}
