import { UserError } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/**
 * Returns as much of the request in a body as can be decoded. It is for code that needs facts of a request without
 * validating it: the server of the same wire validates it.
 */
export function decodeLeniently(wire: Pick<Wire, 'decodeRequest'>, body: Fields): ModelRequest {
  try {
    return wire.decodeRequest(body);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...UNKNOWN, model: String(body.model) };
  }
}

const UNKNOWN: Omit<ModelRequest, 'model'> = {
  instructions: '',
  input: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};
