import { canDrop } from '../adapt/refusals/refused-fields.ts';
import { wholeText } from '../base/request-text.ts';
import type { Compat } from '../base/wire.ts';
import type { Wire } from '../wire/edge/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { isRefused, type ProbeAnswer } from './answer.ts';
import { askTrying, type ProbeRun } from './probe-run.ts';
import { type ProbeQuestion, requestOf } from './question.ts';

/**
 * Asks a question. Where the server refuses it in words that are not understood, finds the fields that it refuses by
 * sending the question with fewer of them.
 */
export async function askWithoutRefusedFields(run: ProbeRun, question: ProbeQuestion): Promise<ProbeAnswer> {
  const answer = await askTrying(run, question, []);
  const wire = question.wire ?? run.wire;
  if (wire === undefined || !isRefused(answer) || answer.status === 404) return answer;
  const optional = optionalFields(run, question, wire);
  const dropping = (fields: readonly string[]) => run.ask({ ...question, compat: withDropped(run.compat, fields) });
  const bare = await dropping(optional);
  if (bare.error !== undefined) return answer;
  const refused = await refusedAmong(optional, (kept) =>
    dropping(optional.filter((field) => !kept.includes(field))).then((next) => isRefused(next)),
  );
  if (refused.length === 0) return bare;
  const reason = `The server does not take ${refused.join(', ')}: such fields are left out.`;
  run.settle({ compat: withDropped(run.compat, refused), reason });
  return refused.length === optional.length ? bare : run.ask(question);
}

/** Returns the fields that are refused, each alone or together with others. */
async function refusedAmong(
  fields: readonly string[],
  isRefusedWith: (fields: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  if (fields.length === 0 || !(await isRefusedWith(fields))) return [];
  if (fields.length === 1) return fields;
  const half = Math.ceil(fields.length / 2);
  return [
    ...(await refusedAmong(fields.slice(0, half), isRefusedWith)),
    ...(await refusedAmong(fields.slice(half), isRefusedWith)),
  ];
}

function withDropped({ dropFields }: Compat, fields: readonly string[]): Partial<Compat> {
  return { dropFields: [...new Set([...dropFields, ...fields])] };
}

/** Returns the fields of a body that a request can do without. */
function optionalFields(run: ProbeRun, question: ProbeQuestion, wire: Wire): readonly string[] {
  const body = JSON.parse(wholeText(wire.encodeRequest(requestOf(question, run.model), run.compat))) as Fields;
  const rules = wire.edge.adapt;
  return rules === undefined ? [] : Object.keys(body).filter((name) => name !== 'tools' && canDrop(rules, body, name));
}
