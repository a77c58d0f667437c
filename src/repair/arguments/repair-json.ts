import type { JsonSchema } from '../../base/json-schema.ts';
import { createArgumentRepair } from './create-argument-repair.ts';
import { isJson } from './is-json.ts';

/** Repairs a whole text like the arguments of a call; undefined if it is not a JSON value or was cut off. */
export function repairJson(text: string, schema?: JsonSchema): string | undefined {
  const repair = createArgumentRepair({ schema, htmlEntities: false, onRepair: () => {} });
  const pieces = [...repair.push(text)];
  const end = repair.end(false);
  pieces.push(...end.pieces);
  if (end.state === 'broken' || pieces.some(({ object }) => object > 0)) return undefined;
  const repaired = pieces.map((piece) => piece.text).join('');
  return isJson(repaired) ? repaired : undefined;
}
