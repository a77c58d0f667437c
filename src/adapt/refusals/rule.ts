import type { Compat, RequestCompat } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import type { Refusal } from './read-refusal.ts';

/** The settings that a refusal may speak of. Those that a caller has not cannot be told from new ones. */
export type LearnerCompat = RequestCompat & Partial<Pick<Compat, 'callIds' | 'sendReasoning' | 'parallelToolCalls'>>;

/** Settings as they have to be. */
export type CompatPatch = Partial<RequestCompat> & {
  readonly callIds?: 'nine';
  readonly sendReasoning?: 'all' | 'none';
  readonly parallelToolCalls?: false;
};

export interface Lesson {
  readonly patch: CompatPatch;
  /** What the server does not take and what is done about it, as a sentence. */
  readonly reason: string;
}

/** A request that was refused. */
export interface RefusedRequest {
  readonly rules: AdaptRules;
  readonly refusal: Refusal;
  readonly sent: Fields;
  readonly compat: LearnerCompat;
}

/** Reads one kind of refusal; undefined for any other. Whether the lesson is news is not its business. */
export type RefusalRule = (request: RefusedRequest) => Lesson | undefined;
