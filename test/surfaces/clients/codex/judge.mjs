import { answered } from './chat-server.mjs';
import { DONE } from './task.mjs';

/** Returns the faults after a run of the task, as sentences. */
export function judgeTask(kind, { run, exchanges, told, file }) {
  return [
    ...fileFaults(file),
    ...codexFaults(kind, run),
    ...requestFaults(kind, exchanges),
    ...gatewayFaults(kind, told),
  ];
}

function fileFaults(file) {
  return ['shell.txt', 'patched.txt']
    .filter((name) => file(name) !== DONE[name])
    .map((name) => `${name} holds ${JSON.stringify(file(name))}`);
}

function codexFaults({ thoughts = 0 }, { code, events }) {
  const completed = events.filter(({ type }) => type === 'item.completed').map(({ item }) => item);
  const ofType = (type) => completed.filter((item) => item.type === type);
  const [command, patch, call] = ['command_execution', 'file_change', 'mcp_tool_call'].map(ofType);
  const wrong = [
    code !== 0 && `Codex ended with code ${code}`,
    !once(command, ({ exit_code }) => exit_code === 0) && `commands: ${JSON.stringify(command)}`,
    !once(
      patch,
      ({ status, changes }) => status === 'completed' && changes.length === 1 && changes[0].kind === 'add',
    ) && `patches: ${JSON.stringify(patch)}`,
    !once(call, ({ server, tool, result }) => server === 'echoes' && tool === 'echo' && saysEcho(result)) &&
      `calls of the MCP server: ${JSON.stringify(call)}`,
    ofType('reasoning').length !== thoughts && `thoughts: ${JSON.stringify(ofType('reasoning'))}`,
    ofType('agent_message').at(-1)?.text !== DONE.text && `the last message is not ${JSON.stringify(DONE.text)}`,
    !(events.at(-1)?.usage?.input_tokens > 0) && `the last event is ${JSON.stringify(events.at(-1))}`,
  ].filter(Boolean);
  const errors = [...ofType('error'), ...events.filter(({ type }) => type === 'error' || type === 'turn.failed')];
  return [...wrong, ...errors.map((error) => `Codex says ${error.message ?? error.error?.message}`)];
}

const once = (items, fits) => items.length === 1 && items.every(fits);

const saysEcho = (result) => result?.content?.[0]?.text === DONE.echo;

/**
 * Returns the faults of the requests: every step of the task is asked for once, and the last request has every call
 * with its output.
 */
function requestFaults({ atOnce, refusals = 0 }, exchanges) {
  const taken = exchanges.filter(({ status }) => status === 200).map(({ body }) => body);
  const refused = exchanges.length - taken.length;
  const steps = JSON.stringify(taken.map(answered));
  const expected = JSON.stringify(atOnce ? [0, 3] : [0, 1, 2, 3]);
  const messages = taken.at(-1)?.messages ?? [];
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const outputs = messages.filter(({ role }) => role === 'tool');
  return [
    refused !== refusals && `the server refused ${refused} requests, ${refusals} were to be expected`,
    steps !== expected && `the requests came with ${steps} outputs, expected ${expected}`,
    ids.join() !== outputs.map(({ tool_call_id }) => tool_call_id).join() && 'calls and outputs do not go together',
    new Set(ids).size !== ids.length && 'two calls have one id',
    !outputs.some(({ content }) => textOf(content).includes(DONE.echo)) && 'the output of the MCP server is missing',
    !outputs.some(({ content }) => textOf(content).includes('patched.txt')) && 'the output of the patch is missing',
    !taken.every(({ tools }) => tools.every(({ type }) => type === 'function')) && 'there were tools of other types',
  ].filter(Boolean);
}

const textOf = (content) => (typeof content === 'string' ? content : JSON.stringify(content));

function gatewayFaults({ repairs = [] }, told) {
  const failed = told.filter(({ status, error }) => status !== 200 || error !== null);
  const seen = new Set(told.flatMap((exchange) => exchange.repairs.map(({ id }) => id)));
  return [
    ...failed.map(({ status, error }) => `the gateway answered ${status}: ${error}`),
    ...repairs.filter((id) => !seen.has(id)).map((id) => `the gateway did not tell of ${id}, only of ${[...seen]}`),
  ];
}

/** Returns the faults after a first turn without room and a second turn that needs some. */
export function judgeRoom({ first, second, exchanges }) {
  const [, summary, after] = exchanges.map(({ body }) => body);
  const last = second.events.findLast(({ item }) => item?.type === 'agent_message')?.item.text;
  return [
    first.code === 0 && 'the first turn did not fail',
    !first.stdout.includes('ran out of room') && `Codex does not say that it ran out of room: ${first.stdout}`,
    exchanges.length !== 3 && `the server got ${exchanges.length} requests, not one that failed, a summary and a turn`,
    (summary?.tools ?? []).length > 0 && 'the second request asked for no summary',
    !JSON.stringify(after?.messages ?? []).includes('SUMMARY OF WHAT WAS DONE') && 'the third request has no summary',
    second.code !== 0 && `the second turn failed: ${second.stdout}`,
    last !== 'There was room again.' && `the last message is ${JSON.stringify(last)}`,
  ].filter(Boolean);
}
