import { isRecord } from '../../base/json-schema.ts';
import { editField } from '../fields/edit-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { isWholeMessage } from './inspect.ts';

/**
 * Returns a first event or a whole message with the name of another model. Clients leave reasoning out of their next
 * request if the model that answered is not the one that they asked for.
 */
export function withModel(value: Fields, model: string): Fields {
  if (isWholeMessage(value)) return editField(value, 'model', () => model);
  return editField(value, 'message', (message) => (isRecord(message) ? withModel(message, model) : message));
}
