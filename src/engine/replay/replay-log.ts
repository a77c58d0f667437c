import type { Log, LogLine } from '../../base/log.ts';
import { applyLine } from '../state/apply-line.ts';
import type { Playback } from './playback.ts';

/** Returns a log that keeps nothing. Appended lines are compared with the recorded ones. */
export function replayLog(playback: Playback): Log {
  return {
    label: 'replay',
    path: null,
    durable: false,
    pipelined: false,
    lost: new AbortController().signal,
    async append(lines) {
      const written: LogLine[] = [];
      try {
        for (const line of lines) {
          await playback.write(line);
          written.push(line);
        }
      } catch (error) {
        // A record of an older version may end within a group. Its lines count.
        if (playback.thread) for (const line of written) applyLine(playback.thread.state, line);
        throw error;
      }
    },
    rest() {},
    async close() {},
  };
}
