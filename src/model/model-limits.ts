import type { ModelRequest } from '../base/model.ts';
import type { ModelEntry } from '../base/model-entry.ts';
import type { ClientWire } from '../base/wire.ts';
import { modelRow } from './model-rows.ts';

/** Limit for a model of which nothing is known. Servers that need a limit accept this one. */
const USUAL_OUTPUT = 32_000;

/** Highest limit without a word of the user. Longer answers are runaways more often than work. */
const HIGHEST_OUTPUT = 64_000;

/** Share of the window that an answer may take. Some servers count the limit of an answer as if it were used. */
const SHARE_OF_WINDOW = 1 / 4;

type LimitedWire = Pick<ClientWire, 'needsOutputLimit' | 'usualWindow'>;

/**
 * Returns a request with the limits that its wire must state and that the request leaves open: the tokens of the answer,
 * and the window that the model is loaded with. `own` are the user's facts about the model.
 */
export function withModelLimits(request: ModelRequest, wire: LimitedWire, own: ModelEntry = {}): ModelRequest {
  const { sampling, contextWindow } = request;
  const limitsOutput = wire.needsOutputLimit && sampling?.maxOutputTokens === undefined;
  const asksWindow = wire.usualWindow !== undefined && contextWindow === undefined;
  if (!limitsOutput && !asksWindow) return request;
  const { contextWindow: window, maxOutputTokens } = { ...modelRow(request.model), ...own };
  const limit = own.maxOutputTokens ?? outputLimit(maxOutputTokens, window);
  return Object.assign(
    {},
    request,
    limitsOutput && { sampling: Object.assign({}, sampling, { maxOutputTokens: limit }) },
    asksWindow && { contextWindow: own.contextWindow ?? loadedWindow(window, wire.usualWindow) },
  );
}

/** Returns the window that a model has if the user names none, where `usual` is that of the wire. */
export function loadedWindow(window = Number.POSITIVE_INFINITY, usual = Number.POSITIVE_INFINITY): number {
  return Math.min(window, usual);
}

function outputLimit(known = USUAL_OUTPUT, window = Number.POSITIVE_INFINITY): number {
  return Math.min(known, HIGHEST_OUTPUT, Math.ceil(window * SHARE_OF_WINDOW));
}
