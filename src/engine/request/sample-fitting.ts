import { ModelError } from '../../base/errors.ts';
import { compact } from '../turn/compaction.ts';
import type { Turn } from '../turn-setup.ts';
import { type Response, sample } from './sample.ts';

/**
 * A response. When the server says that the history does not fit, it is made to and the server asked again: as often as
 * something has come in between, since a history that was just compacted gets no shorter.
 */
export async function sampleFitting(turn: Turn): Promise<Response> {
  const { history } = turn.state;
  let compacted: number | undefined;
  for (;;) {
    try {
      return await sample(turn);
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'context_length_exceeded') throw error;
      if (history.length === compacted || !(await compact(turn, 'overflow', true))) throw error;
      compacted = history.length;
    }
  }
}
