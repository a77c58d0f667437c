import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../src/mcp-client/fixtures/http-server.ts';
import { call, fault, reply, say } from '../../../src/testing/index.ts';
import { placesOf } from '../../harness/expect-no-secret.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';

/** Secrets that no run may print, store or hand to a command, by where they come from. */
const SECRETS = {
  variable: 'key-of-the-variable-8f3a2c',
  file: 'key-of-auth-json-5d1e9b',
  mcp: 'token-of-the-tools-77c0de',
  proxy: 'word-of-the-proxy-41b6aa',
};

/** Returns the places in which each secret was found. The home has only files of the run. */
function found(home: string, outputs: { readonly stdout: string; readonly stderr: string }) {
  return Object.fromEntries(
    Object.entries(SECRETS).map(([name, secret]) => [
      name,
      placesOf(secret, { home, since: 0, result: outputs }).filter((path) => path !== join(home, 'auth.json')),
    ]),
  );
}

const NOWHERE = { variable: [], file: [], mcp: [], proxy: [] };

test('keys, tokens and passwords appear in no output, log, rollout, cassette, error or child of a run', async () => {
  const tools = await startHttpServer();
  onTestFinished(() => tools.close());
  const proxy = await startProxy({ user: `me:${SECRETS.proxy}` });
  const { model, workspace } = await scene([
    fault.status(500, { error: { message: `no: Bearer ${SECRETS.variable}` } }),
    reply(
      call('exec_command', { cmd: 'env; cat /proc/self/environ /proc/$PPID/environ | tr "\\0" "\\n"' }),
      call('web__echo', { word: 'hello' }),
    ),
    fault.status(401, { error: { message: `Incorrect API key provided: ${SECRETS.variable}` } }),
  ]);
  writeFileSync(join(workspace.home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: SECRETS.file }));
  mkdirSync(join(workspace.home, 'tapes'));
  const url = model.url.replace('127.0.0.1', 'models.test');
  const config = {
    log_level: 'debug',
    sandbox_mode: 'workspace-write',
    mcp_servers: { web: { url: tools.url, bearer_token_env_var: 'TOOLS_WORD', required: true } },
  };
  const env = { SCRIPTED_KEY: SECRETS.variable, TOOLS_WORD: SECRETS.mcp, http_proxy: proxy.signedUrl };
  const tape = join(workspace.home, 'tapes', 'one.jsonl');
  const args = ['exec', '--json', '--debug', '--record', tape, 'go'];
  const failed = await runOxbow(args, { workspace, model: { url }, config, env });
  expect(failed.code).toBe(1);
  expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${SECRETS.variable}`);
  expect(tools.requests[0]?.headers.authorization).toBe(`Bearer ${SECRETS.mcp}`);
  expect(proxy.passed.length).toBeGreaterThan(2);
  expect(existsSync(tape)).toBe(true);
  expect(found(workspace.home, failed)).toEqual(NOWHERE);
  // The command saw an environment, and nothing of the secrets came back to the model.
  const sent = JSON.stringify(model.requests.map(({ body }) => body));
  expect(sent).toContain('PATH=');
  for (const secret of Object.values(SECRETS)) expect(sent).not.toContain(secret);
  for (const words of [['doctor', '--json'], ['config'], ['threads', '--json'], ['usage', '--json']]) {
    expect(found(workspace.home, await runOxbow(words, { workspace, env }))).toEqual(NOWHERE);
  }
});

test('keys and passwords appear in no output, log or tape of the gateway', async () => {
  const proxy = await startProxy({ user: `me:${SECRETS.proxy}` });
  const { model, workspace } = await scene([
    reply(say('done')),
    fault.status(401, { error: { message: `Incorrect API key provided: ${SECRETS.variable}` } }),
  ]);
  const url = model.url.replace('127.0.0.1', 'models.test');
  const tapes = join(workspace.home, 'tapes');
  const to = ['--upstream', url, '--wire', 'responses', '--upstream-key-env', 'FAR_KEY', '--record', tapes];
  const env = { FAR_KEY: SECRETS.variable, http_proxy: proxy.signedUrl };
  const gateway = await startOxbow(['gateway', '--json', '--port', '0', ...to], { workspace, env });
  const { url: base } = await gateway.waitForEvent(({ type }) => type === 'gateway.started');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'm', input: 'go' });
  for (const words of ['done', 'API key']) {
    const response = await fetch(`${base}/v1/responses`, { method: 'POST', headers, body });
    const text = await response.text();
    expect(text).toContain(words);
    expect(text).not.toContain(SECRETS.variable);
  }
  gateway.kill('SIGTERM');
  const result = await gateway.wait();
  expect(readFileSync(join(workspace.home, 'log', 'gateway.log'), 'utf8')).not.toBe('');
  expect(found(workspace.home, result)).toEqual(NOWHERE);
});
