import { isRecord } from '../../base/json-schema.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { isSet } from '../fields/lenient-fields.ts';
import { adaptRules } from './adapt-rules.ts';
import { countTokensRoute } from './count-tokens.ts';
import { editRequest, withoutSealed } from './edit-request.ts';
import { errorBody } from './error-body.ts';
import { firstCallOnly } from './first-call.ts';
import { callsIn, inspect } from './inspect.ts';
import { modelEntry, modelList } from './model-list.ts';
import { passThrough } from './pass-through.ts';
import { repairedBody } from './repaired-body.ts';
import { readUsage } from './usage-fields.ts';
import { withModel } from './with-model.ts';

export const edge: EdgeWire = {
  routes: [{ type: 'exchange', method: 'POST', path: '/v1/messages' }, countTokensRoute],
  passedHeaders: ['anthropic-version', 'anthropic-beta'],
  isClient: (header) => header('anthropic-version') !== undefined,
  modelList,
  modelEntry,
  readRequest: ({ model, stream }) => ({ model, stream: stream === true, includeUsage: true }),
  hasRareTools: ({ tools }) => Array.isArray(tools) && !tools.every(isOwnTool),
  editRequest,
  withoutSealed,
  adapt: adaptRules,
  passThrough,
  encoding: (_original, common) => common,
  repairedBody,
  withModel,
  readUsage: ({ usage }) => readUsage(usage),
  inspect,
  callsIn,
  firstCallOnly,
  responseId: (uuid) => `msg_${uuid.replaceAll('-', '')}`,
  errorBody,
  // Clients read the status of an answer, and an error inside a stream ends it.
  reportedInStream: () => false,
};

/** Reports whether a tool is the client's own, with a schema. */
function isOwnTool(tool: unknown): boolean {
  return !isRecord(tool) || !isSet(tool.type) || tool.type === 'custom' || tool.type === 'function';
}
