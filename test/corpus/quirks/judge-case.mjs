import { isDeepStrictEqual } from 'node:util';
import { callsIn, toolsIn } from './read-history.mjs';

/**
 * Judges a client by the requests that it sent for a case: `pass` when the request after the response carries outputs
 * for exactly the expected calls, or when no request came and no call was to run. `skip`: the client cannot be judged.
 */
export function judgeCase(kase, requests) {
  const asked = requests.find(({ stage }) => stage === 'case');
  if (asked === undefined) return verdict('skip', `it asked for nothing over ${kase.wire}`);
  const expected = kase.expect.calls.map(({ name, arguments: value, input }) => ({ name, arguments: input ?? value }));
  const answered = answeredCalls(kase, requests);
  if (isDeepStrictEqual(answered, expected)) return verdict('pass', '');
  const declared = toolsIn(asked.body);
  const unknown = expected.find(({ name }) => !declared.has(name));
  // Many clients also answer calls of tools that they do not have, but they do not know their schemas and names.
  if (unknown !== undefined) return verdict('skip', `it has no tool ${unknown.name}`);
  return verdict('fail', `it ran ${shown(answered)}, expected ${shown(expected)}`);
}

/** Returns the calls of the case that the client sent outputs for, as they stand in its history. */
function answeredCalls(kase, requests) {
  const last = requests.findLast(({ stage }) => stage === 'after');
  if (last === undefined) return [];
  const earlier = kase.request?.call_ids?.length ?? 0;
  const custom = new Set(kase.expect.calls.filter(({ input }) => input !== undefined).map(({ name }) => name));
  return callsIn(kase.wire, last.body)
    .slice(earlier)
    .filter(({ output }) => output !== undefined)
    .map(({ name, arguments: value }) => ({ name, arguments: custom.has(name) ? (value?.input ?? value) : value }));
}

function verdict(result, why) {
  return { result, why };
}

function shown(calls) {
  if (calls.length === 0) return 'nothing';
  const text = calls.map((call) => `${call.name}(${JSON.stringify(call.arguments)})`).join(', ');
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
