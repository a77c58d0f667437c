import { UserError } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/**
 * Returns the request that a body asks for, as far as it can be told. For code that must know something of a request and does
 * not judge it: the server of the same wire does.
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
