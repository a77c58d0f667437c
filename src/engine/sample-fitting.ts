import { ModelError } from '../base/errors.ts';
import { compact } from './compaction.ts';
import { type Response, sample } from './sample.ts';
import type { Turn } from './turn-setup.ts';

/** A response; when the server says that the history does not fit, it is made to and the server asked again, once. */
export async function sampleFitting(turn: Turn): Promise<Response> {
  try {
    return await sample(turn);
  } catch (error) {
    if (!(error instanceof ModelError) || error.code !== 'context_length_exceeded') throw error;
    await compact(turn, 'overflow');
    return sample(turn);
  }
}
