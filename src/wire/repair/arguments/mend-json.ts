import type { JsonSchema } from '../../../base/json-schema.ts';
import { createArgumentMender } from './create-argument-mender.ts';
import { isJson } from './is-json.ts';

/** A whole text mended as the arguments of a call are; undefined if it is no JSON value or was cut off. */
export function mendJson(text: string, schema?: JsonSchema): string | undefined {
  const mender = createArgumentMender({ schema, htmlEntities: false, onRepair: () => {} });
  const pieces = [...mender.push(text)];
  const end = mender.end(false);
  pieces.push(...end.pieces);
  if (end.state === 'broken' || pieces.some(({ object }) => object > 0)) return undefined;
  const mended = pieces.map((piece) => piece.text).join('');
  return isJson(mended) ? mended : undefined;
}
