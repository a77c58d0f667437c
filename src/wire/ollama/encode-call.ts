import { isRecord } from '../../base/json-schema.ts';
import { parsedJson } from '../lowering/parsed-json.ts';
import { compactJson } from './json-text.ts';

/**
 * Returns the arguments of a call as the JSON text of an object: servers refuse anything else. A text that is not an
 * object becomes the one field of an object, as the input of a custom tool does.
 */
export function argumentsObject(text: string): string {
  if (text.trim() === '') return '{}';
  return isRecord(parsedJson(text)) ? compactJson(text) : JSON.stringify({ input: text });
}
