import { isRecord } from '../../base/json-schema.ts';
import { badRequest, plainErrorBody } from '../edge/client-error.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { hasOnlyFunctions } from '../lowering/only-functions.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest } from './edit-request.ts';
import { firstCallOnly } from './first-call.ts';
import { callsIn, inspect } from './inspect.ts';
import { passThrough } from './pass-through.ts';
import { repairedBody } from './repaired-body.ts';
import { readUsage } from './usage-fields.ts';

export const edge: EdgeWire = {
  routes: [{ type: 'exchange', method: 'POST', path: '/v1/chat/completions' }],
  readRequest: ({ model, stream, stream_options: options }) => ({
    model,
    stream: stream === true,
    includeUsage: isRecord(options) && options.include_usage === true,
  }),
  hasRareTools: ({ tools }) => !hasOnlyFunctions(tools),
  editRequest,
  assertPortable({ n }) {
    if (typeof n === 'number' && n > 1)
      throw badRequest(
        'The server of this model gives one answer to a request. Send several requests, without n.',
        'n',
      );
  },
  // This wire has no state that only one server can read.
  withoutSealed: (body) => body,
  adapt: adaptRules,
  passThrough,
  encoding: (_original, common) => common,
  repairedBody,
  readUsage: ({ usage }) => readUsage(usage),
  inspect,
  callsIn,
  firstCallOnly,
  responseId: (uuid) => `chatcmpl-${uuid.replaceAll('-', '')}`,
  errorBody: plainErrorBody,
  reportedInStream: () => false,
};
