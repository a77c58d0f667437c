import { isRecord } from '../../base/json-schema.ts';
import { badRequest, plainErrorBody } from '../edge/client-error.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { hasOnlyFunctions } from '../lowering/only-functions.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest, withoutSealed } from './edit-request.ts';
import { firstCallOnly } from './first-call.ts';
import { callsIn, inspect } from './inspect.ts';
import { passThrough } from './pass-through.ts';
import { lastResponse, stored, storedRoutes } from './stored.ts';
import { readUsage } from './usage-fields.ts';

export const edge: EdgeWire = {
  routes: [{ type: 'exchange', method: 'POST', path: '/v1/responses' }, ...storedRoutes],
  // A server finds the beginning of a prompt in its cache by the thread.
  passedHeaders: ['session-id', 'session_id', 'thread-id', 'x-client-request-id'],
  readRequest: ({ model, stream }) => ({ model, stream: stream === true, includeUsage: true }),
  hasRareTools({ tools, input }) {
    // Items may bring tools with them.
    const brought = Array.isArray(input) ? input.filter(isRecord).map((item) => item.tools) : [];
    return ![tools, ...brought].every(hasOnlyFunctions);
  },
  editRequest,
  assertPortable(body) {
    const name = KEPT_ELSEWHERE.find((field) => body[field] !== undefined && body[field] !== null);
    if (name !== undefined)
      throw badRequest(`The server of this model keeps no ${name}. Send its contents in the request instead.`, name);
  },
  withoutSealed,
  adapt: adaptRules,
  passThrough,
  encoding: (original, { model, createdAt, includeUsage }) => ({
    model,
    createdAt,
    includeUsage,
    sealReasoning: wantsSealed(original) || wantsSummary(original),
    repeated: repeatedIn(original),
  }),
  repairedBody: (_answer, frames) => lastResponse(frames),
  readUsage: ({ usage }) => readUsage(usage),
  inspect,
  callsIn,
  firstCallOnly,
  responseId: (uuid) => `resp_${uuid.replaceAll('-', '')}`,
  errorBody: plainErrorBody,
  // After a failed response, clients shorten a request that was too long, and stop if the quota is used up. After an
  // error status, they give up on the first and retry the second.
  reportedInStream: (code) => IN_STREAM.has(code),
  stored,
};

/** Fields that name a part of the request which only the server that keeps it knows. */
const KEPT_ELSEWHERE = ['conversation', 'prompt'];

const IN_STREAM: ReadonlySet<string | null> = new Set([
  'context_length_exceeded',
  'insufficient_quota',
  'usage_not_included',
]);

function wantsSealed({ include }: Fields): boolean {
  return Array.isArray(include) && include.includes('reasoning.encrypted_content');
}

function wantsSummary({ reasoning }: Fields): boolean {
  return isRecord(reasoning) && typeof reasoning.summary === 'string' && reasoning.summary !== 'none';
}

function repeatedIn(original: Fields): Fields {
  const repeated: Record<string, unknown> = {};
  for (const name of REPEATED) if (original[name] !== undefined) repeated[name] = original[name];
  return repeated;
}

/**
 * Fields of the request that a response repeats. Tools and instructions are left out: they may be long, and no client
 * needs them in every response.
 */
const REPEATED = [
  'max_output_tokens',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];
