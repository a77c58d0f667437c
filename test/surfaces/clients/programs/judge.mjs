/**
 * Returns the faults of the requests of a task, as sentences: every step is asked for once, and the last request has
 * every call with its output. `steps` are the numbers of outputs that the requests came with.
 */
export function requestFaults({ refusals = 0 }, { wire, exchanges, steps, outputs }) {
  const taken = exchanges.filter(({ status }) => status === 200).map(({ body }) => body);
  const refused = exchanges.length - taken.length;
  const counted = taken.map((body) => wire.outputs(body).length);
  const calls = taken.length === 0 ? [] : wire.calls(taken.at(-1));
  const told = taken.length === 0 ? [] : wire.outputs(taken.at(-1));
  const ids = calls.map(({ id }) => id).filter((id) => id !== undefined);
  return [
    refused !== refusals && `the server refused ${refused} requests, ${refusals} were to be expected`,
    counted.join() !== steps.join() && `the requests came with ${counted} outputs, expected ${steps}`,
    calls.length !== told.length && `there are ${calls.length} calls and ${told.length} outputs`,
    ids.join() !== told.map(({ id }) => id).join() && ids.length > 0 && 'calls and outputs do not go together',
    new Set(ids).size !== ids.length && 'two calls have one id',
    ...outputs.map((text) => !told.some((output) => output.text.includes(text)) && `no output has ${text}`),
  ].filter(Boolean);
}

/** Returns the faults that the gateway tells of, and the repairs that it does not tell of. */
export function gatewayFaults({ repairs = [] }, told) {
  const failed = told.filter(({ status, error }) => status !== 200 || error !== null);
  const seen = new Set(told.flatMap((exchange) => exchange.repairs.map(({ id }) => id)));
  return [
    ...failed.map(({ status, error }) => `the gateway answered ${status}: ${error}`),
    ...repairs.filter((id) => !seen.has(id)).map((id) => `the gateway did not tell of ${id}, only of ${[...seen]}`),
  ];
}
