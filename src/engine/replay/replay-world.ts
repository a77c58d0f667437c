import type { Item } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import type { World } from '../../base/world.ts';
import type { Playback } from './playback.ts';

/** Returns a world whose clock stands still and whose ids are those on record. */
export function replayWorld(playback: Playback): World {
  const given = new Set<string>();
  return {
    now: () => 0,
    monotonic: () => 0,
    random: () => 0,
    async sleep(_ms, signal) {
      signal.throwIfAborted();
    },
    // An id is recorded before the next request, or sent without being recorded.
    uuid() {
      for (let at = 0; ; at++) {
        const line = playback.expected.ahead(at)?.line;
        if (!line || (line.type === 'oxbow' && line.payload.kind === 'request.started')) return NOWHERE;
        const id = madeIds(line, playback).find((one) => !given.has(one));
        if (id === undefined) continue;
        given.add(id);
        return id;
      }
    },
  };
}

const NOWHERE = '00000000-0000-7000-8000-000000000000';

/** Returns the ids that may have been made for a line, in the order in which they were made. */
function madeIds(line: LogLine, { thread }: Playback): readonly string[] {
  if (line.type === 'event_msg') return line.payload.type === 'task_started' ? [line.payload.turn_id] : [];
  if (line.type === 'response_item') return idOf(line.payload).filter((id) => !isOfFinished(id, thread));
  if (line.type !== 'compacted') return [];
  const kept = new Set(thread?.state.history.flatMap(idOf));
  const ids = (line.payload.replacement_history ?? []).flatMap(idOf).filter((id) => !kept.has(id));
  // The summary is last in the line, but its id was made first.
  return [...ids.slice(-1), ...ids.slice(0, -1)];
}

/** Reports whether an id was made when a call ended, before its output went into the history. */
function isOfFinished(id: string, thread: Playback['thread']): boolean {
  const calls = [...(thread?.state.openCalls.values() ?? [])];
  return calls.some(({ finished }) => finished !== undefined && idOf(finished.output).includes(id));
}

function idOf({ id }: Item): readonly string[] {
  return typeof id === 'string' ? [id.replace(/^(msg|fco|ctco)_/, '')] : [];
}
