import { expect, it, onTestFinished } from 'vitest';
import {
  call,
  createWorkspace,
  fault,
  type RecordedRequest,
  reply,
  type ScriptedAnswer,
  say,
  startScriptedModel,
} from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { decodedRequest, WIRES } from '../../harness/wires.ts';

const KEY = 'sk-probe-secret-0123456789';

/** Answers the questions of the probe as they ask, over any wire. */
function obedient(request: RecordedRequest): ScriptedAnswer {
  const { input, tools, toolChoice, model } = decodedRequest(request);
  if (model !== 'scripted') return fault.status(404, { error: { message: 'no such model', code: 'model_not_found' } });
  const asked = JSON.stringify(input);
  if (input.some(({ type }) => type === 'function_call_output')) return reply(say('The sum is 5.'));
  if (tools.length === 0 || toolChoice === 'none') return reply(say('oxbow pong'));
  if (/twice in one answer/.test(asked))
    return reply(call('add_numbers', { a: 1, b: 2 }), call('add_numbers', { a: 3, b: 4 }));
  if (/add_numbers once/.test(asked)) return reply(call('add_numbers', { a: 2, b: 3, note: 'a & b < c "d"' }));
  // A wire without a choice offers only the tool that is meant.
  if (toolChoice !== 'auto' || tools.length === 1) return reply(call('greet_person', { name: 'Ada' }));
  return reply(say('pong'));
}

/** Starts a server that has one wire only. */
async function startOnly(wire: (typeof WIRES)[number]) {
  const model = await startScriptedModel((request) => {
    const path = new URL(request.path, 'http://h').pathname;
    return path === PATHS[wire] ? obedient(request) : fault.status(404, { detail: 'Not Found' });
  });
  onTestFinished(() => model.close());
  return { ...model, origin: new URL(model.url).origin };
}

const PATHS = {
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  ollama: '/api/chat',
} as const;

/** Limits of the wire itself. */
const LIMITS: Partial<Record<(typeof WIRES)[number], readonly object[]>> = {
  ollama: [{ quirk: null, what: 'tool_choice required was accepted and not obeyed.', handling: 'limit' }],
};

it.each(WIRES)('a server that has only %s is found at its address without a path, with a right entry', async (wire) => {
  const workspace = createWorkspace({});
  onTestFinished(() => workspace.dispose());
  const server = await startOnly(wire);
  const args = ['probe', server.origin, '-m', 'scripted', '--key-env', 'PROBE_KEY', '--json', '--write', 'found'];
  const { stdout, stderr, code } = await runOxbow(args, { workspace, env: { PROBE_KEY: KEY } });
  expect(code, stdout + stderr).toBe(0);
  const printed = JSON.parse(stdout);
  const base = wire === 'ollama' ? '/api' : '/v1';
  expect(printed).toMatchObject({ wire, callsTools: true, findings: LIMITS[wire] ?? [] });
  expect(printed.entry).toEqual({ base_url: `${server.origin}${base}`, wire_api: wire, env_key: 'PROBE_KEY' });
  expect(stdout + stderr).not.toContain(KEY);
  const bad = printed.checks.filter(({ status }: { status: string }) => status === 'failed');
  expect(bad).toEqual([]);

  const chosen = ['-c', 'model_provider="found"', '-c', 'model="scripted"'];
  const doctor = await runOxbow(['doctor', '--online', '--json', ...chosen], { workspace, env: { PROBE_KEY: KEY } });
  const rows = (JSON.parse(doctor.stdout) as { id: string; what: string; status: string }[]).filter(({ id }) =>
    id.startsWith('online_'),
  );
  expect(rows.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(rows[0]?.what).toMatch(new RegExp(`answers over .*${wire}`));

  const from = server.requests.length;
  const run = await runOxbow(['exec', ...chosen, 'say pong'], {
    workspace,
    env: { PROBE_KEY: KEY },
  });
  expect(run.stdout, run.stderr).toBe('pong\n');
  expect(server.requests.slice(from).map(({ path }) => path)).toEqual([PATHS[wire]]);
});
