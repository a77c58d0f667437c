import type { Compat, RequestCompat } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import type { Refusal } from './read-refusal.ts';

/** The settings that a refusal may be about. A setting that the caller leaves out counts as new. */
export type LearnerCompat = RequestCompat & Partial<Pick<Compat, 'callIds' | 'sendReasoning' | 'parallelToolCalls'>>;

/** Changes of settings. */
export type CompatPatch = Partial<RequestCompat> & {
  readonly callIds?: 'nine';
  readonly sendReasoning?: 'all' | 'none';
  readonly parallelToolCalls?: false;
};

export interface Lesson {
  readonly patch: CompatPatch;
  /** Sentence that says what the server refuses and what is done about it. */
  readonly reason: string;
}

/** A request that was refused. */
export interface RefusedRequest {
  readonly rules: AdaptRules;
  readonly refusal: Refusal;
  readonly sent: Fields;
  readonly compat: LearnerCompat;
}

/** Reader of one kind of refusal; undefined for any other. The caller checks whether the lesson is new. */
export type RefusalRule = (request: RefusedRequest) => Lesson | undefined;
