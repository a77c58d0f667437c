import type { ModelRequest } from '../base/model.ts';
import type { ModelEntry } from '../base/model-entry.ts';
import type { ClientWire } from '../base/wire.ts';
import { modelRow } from './model-rows.ts';

/** Limit for a model of which nothing is known. The servers of Messages that are in use accept it. */
const USUAL_LIMIT = 32_000;

/** Highest limit without a word of the user. Longer answers are runaways more often than work. */
const HIGHEST_LIMIT = 64_000;

/** Share of the window that an answer may take. Some servers count the limit of an answer as if it were used. */
const SHARE_OF_WINDOW = 1 / 4;

/**
 * Returns a request with a limit on the tokens of its answer, where the wire needs one and the request has none. `own`
 * are the user's facts about the model.
 */
export function withOutputLimit(
  request: ModelRequest,
  { needsOutputLimit }: Pick<ClientWire, 'needsOutputLimit'>,
  own: ModelEntry = {},
): ModelRequest {
  if (!needsOutputLimit || request.sampling?.maxOutputTokens !== undefined) return request;
  return { ...request, sampling: { ...request.sampling, maxOutputTokens: outputLimit(request.model, own) } };
}

function outputLimit(model: string, own: ModelEntry): number {
  if (own.maxOutputTokens !== undefined) return own.maxOutputTokens;
  const { contextWindow = Number.POSITIVE_INFINITY, maxOutputTokens = USUAL_LIMIT } = { ...modelRow(model), ...own };
  return Math.min(maxOutputTokens, HIGHEST_LIMIT, Math.ceil(contextWindow * SHARE_OF_WINDOW));
}
