import type { Lesson } from '../adapt/refusals/rule.ts';
import type { ModelError } from '../base/errors.ts';
import type { CallItem, Item } from '../base/item.ts';
import type { Repair } from '../base/repair.ts';
import type { Usage } from '../base/usage.ts';
import type { Compat, Frame } from '../base/wire.ts';
import type { Wire } from '../wire/edge/wire.ts';

/** The answer of a server to a question, as the agent understands it and as it came. */
export interface ProbeAnswer {
  readonly wire: Wire;
  /** Whether the response ended well. A response that ran out of tokens did. */
  readonly ended: 'completed' | 'incomplete' | 'failed';
  readonly text: string;
  /** Items in their order, for the history of a next question. */
  readonly items: readonly Item[];
  readonly calls: readonly CallItem[];
  readonly usage: Usage | null;
  readonly repairs: readonly Repair[];
  /** Lessons of refusals that led to an accepted request. */
  readonly lessons: readonly Lesson[];
  /** Lessons that were tried and did not help: the server kept refusing. */
  readonly unproven: readonly Lesson[];
  /** The settings under which the request was accepted. */
  readonly compat: Compat;
  readonly error: ModelError | undefined;
  /** Frames of the last answer, as they came. Empty for a body that is not a stream. */
  readonly frames: readonly Frame[];
  /** Body of the last answer, bounded. */
  readonly body: string;
  readonly status: number | undefined;
  /** Whether the question was sent under settings that were not known to be right. */
  readonly isTrial: boolean;
}

/** Reports whether a server refused a request because of its form, as far as a status can say that. */
export function isRefused({ error, status }: ProbeAnswer): boolean {
  return error !== undefined && status !== undefined && REFUSING.has(status);
}

/** Statuses 500 and 501 are among them: some servers fail at a form that they do not know. */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 415, 422, 500, 501]);

/** Reports whether there was no answer at all, as there would be none to the next question. */
export function isSilent({ error }: ProbeAnswer): boolean {
  return error !== undefined && SILENT.has(error.code);
}

const SILENT: ReadonlySet<string> = new Set([
  'aborted',
  'auth',
  'idle_timeout',
  'quota_exceeded',
  'rate_limited',
  'unreachable',
  'usage_limit_reached',
]);
