/**
 * An error of an MCP server or on the way to it. The message is a sentence for the user or the model.
 *
 * `start`: the server did not start or did not answer. `sign_in`: it wants a sign-in. `timeout`: no answer in time. `lost`: the
 * connection ended during the request, so that a call may have had an effect. `refused`: the server answered with an error. `invalid`:
 * it answered with something that is not MCP, or that is too large. `cancelled`: the signal of the caller aborted.
 */
export class McpFault extends Error {
  readonly kind: 'start' | 'sign_in' | 'timeout' | 'lost' | 'refused' | 'invalid' | 'cancelled';

  constructor(kind: McpFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
