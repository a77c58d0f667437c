import type { Item } from '../base/item.ts';
import { withoutFields } from '../wire/edit-fields.ts';
import { ClientError } from './client-error.ts';
import type { AskedRequest } from './read-request.ts';
import type { ResponseStore } from './response-store.ts';

/**
 * The request with the thread it goes on with in front of its input, so that any server can answer it. One that refers
 * to nothing, or to a response that only the server itself may know, stays what it is.
 */
export function expandPrevious(asked: AskedRequest, store: ResponseStore): AskedRequest {
  const id = previousId(asked);
  const previous = id === undefined ? undefined : store.get(id);
  if (previous === undefined) return asked;
  const input = [...previous.input, ...previous.output, ...inputList(asked.body.input)];
  return { ...asked, body: { ...withoutFields(asked.body, ['previous_response_id']), input } };
}

/** Throws `ClientError` when the request still refers to an earlier response: this server cannot know it. */
export function assertExpanded(asked: AskedRequest): void {
  const id = previousId(asked);
  if (id === undefined) return;
  throw new ClientError(`There is no response ${JSON.stringify(id)} here any more. Send its whole input instead.`, {
    status: 404,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  });
}

function previousId({ wire, body }: AskedRequest): string | undefined {
  const id: unknown = wire.name === 'responses' ? body.previous_response_id : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function inputList(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [userMessage(input)];
  return Array.isArray(input) ? input : [];
}

function userMessage(text: string): Item {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}
