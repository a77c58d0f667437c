import { ClientError } from '../edge/client-error.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/**
 * Throws `ClientError` for a request whose earlier messages the server is to know from other requests. Few servers keep
 * them, and others would answer without them. After this error clients send all messages.
 */
export function assertWhole({ thread }: Fields): void {
  if (fieldsOf(thread).type !== 'continue') return;
  const said = 'The gateway keeps no messages between requests. Send the whole history, without the field thread.';
  throw new ClientError(said, { status: 404, code: 'thread_not_found', param: 'thread' });
}
