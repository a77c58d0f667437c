import { gatewayFaults, requestFaults } from '../programs/judge.mjs';
import { DONE } from './task.mjs';

/** Returns the faults after a run of the task, as sentences. */
export function judgeTask(kind, { run, server: { wire, exchanges }, gateway, read }) {
  const steps = kind.atOnce ? [0, 3] : [0, 1, 2, 3];
  return [
    ...fileFaults(read),
    ...codexFaults(kind, run),
    ...requestFaults(kind, { wire, exchanges, steps, outputs: [DONE.echo, 'patched.txt'] }),
    ...gatewayFaults(kind, gateway.exchanges()),
  ];
}

function fileFaults(read) {
  return ['shell.txt', 'patched.txt']
    .filter((name) => read(name) !== DONE[name])
    .map((name) => `${name} holds ${JSON.stringify(read(name))}`);
}

function codexFaults({ hasThoughts = false }, { code, events }) {
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
    ofType('reasoning').length !== (hasThoughts ? 3 : 0) && `thoughts: ${JSON.stringify(ofType('reasoning'))}`,
    ofType('agent_message').at(-1)?.text !== DONE.text && `the last message is not ${JSON.stringify(DONE.text)}`,
    !(events.at(-1)?.usage?.input_tokens > 0) && `the last event is ${JSON.stringify(events.at(-1))}`,
  ].filter(Boolean);
  const errors = [...ofType('error'), ...events.filter(({ type }) => type === 'error' || type === 'turn.failed')];
  return [...wrong, ...errors.map((error) => `Codex says ${error.message ?? error.error?.message}`)];
}

const once = (items, fits) => items.length === 1 && items.every(fits);

const saysEcho = (result) => result?.content?.[0]?.text === DONE.echo;

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
