import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';
import { survivors } from '../../harness/survivors.ts';

/** Starts a server over stdio, and speaks to it in lines, as a client without any library does. */
async function rawScene(
  script: Script,
  { config = {}, capabilities = {} }: { config?: ConfigTable; capabilities?: object },
) {
  const { model, workspace, ...rest } = await scene(script);
  workspace.configure(scriptedConfig(model.url, config));
  const child = spawn(PROGRAM, ['mcp-server'], { cwd: workspace.path, env: cleanEnvironment(workspace) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const received: Message[] = [];
  let wake = () => {};
  createInterface(child.stdout).on('line', (line) => {
    received.push(JSON.parse(line) as Message);
    wake();
  });
  async function waitFor(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = received.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (id: number) => waitFor((message) => message.id === id && message.method === undefined);
  const clientInfo = { name: 'raw', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities, clientInfo } });
  await answer(0);
  send({ method: 'notifications/initialized' });
  const codex = (id: number, input: object) =>
    send({ id, method: 'tools/call', params: { name: 'codex', arguments: input } });
  return { ...rest, workspace, child, ended, waitFor, send, answer, codex };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number };
}

const sleep = (seconds: string) => reply(call('exec_command', { cmd: `sleep ${seconds}`, yield_time_ms: 30_000 }));

test('lines that are not JSON-RPC are skipped, and the server goes on', async () => {
  const { child, send, answer, ended } = await rawScene([], {});
  for (const line of ['garbage', '{"jsonrpc":"2.0",', '[]', '{"jsonrpc":"2.0","id":5}', '', '{"id":7}', '\u0000'])
    child.stdin.write(`${line}\n`);
  send({ id: 8, method: 'no/such' });
  expect((await answer(8)).error?.code).toBe(-32601);
  send({ id: 9, method: 'tools/list' });
  expect((await answer(9)).result).toBeDefined();
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test('a cancelled request is answered with an error result, and its command is gone', async () => {
  const { child, send, answer, codex, ended } = await rawScene([sleep('4712.5')], {});
  codex(1, { prompt: 'wait' });
  await expect.poll(() => survivors('4712.5'), { timeout: 10_000 }).toHaveLength(1);
  send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
  const { result } = await answer(1);
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: 'The call was cancelled, and its turn was interrupted.' }],
    structuredContent: { threadId: expect.any(String) },
  });
  expect(survivors('4712.5')).toEqual([]);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test('a client that leaves in mid-turn ends the turn, its command and the server', async () => {
  const { child, codex, ended } = await rawScene([sleep('4713.5')], {});
  codex(1, { prompt: 'wait' });
  await expect.poll(() => survivors('4713.5'), { timeout: 10_000 }).toHaveLength(1);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(survivors('4713.5')).toEqual([]);
});

test('SIGTERM in mid-turn ends the turn, its command and the server', async () => {
  const { child, codex, ended } = await rawScene([sleep('4714.5')], {});
  codex(1, { prompt: 'wait' });
  await expect.poll(() => survivors('4714.5'), { timeout: 10_000 }).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(survivors('4714.5')).toEqual([]);
});

const ASKS = { approval_policy: 'untrusted' };
const TOUCH = reply(call('exec_command', { cmd: 'touch made' }));
const CAN_ASK = { elicitation: {} };

test.each([
  ['approved', { decision: 'approved' }, true],
  ['approved for the session', { decision: 'approved_for_session' }, true],
  ['denied', { decision: 'denied' }, false],
  ['not understood', { decision: 5 }, false],
  ['empty', {}, false],
])('an approval as Codex has it: %s', async (_, decision, made) => {
  const { child, send, answer, codex, workspace, ended, waitFor } = await rawScene([TOUCH, reply(say('Done.'))], {
    config: ASKS,
    capabilities: CAN_ASK,
  });
  codex(1, { prompt: 'go' });
  const asked = await waitFor(({ method }) => method === 'elicitation/create');
  expect(asked.params).toMatchObject({
    message: expect.stringContaining('touch made'),
    requestedSchema: { type: 'object', properties: {} },
    threadId: expect.any(String),
    codex_elicitation: 'exec-approval',
    codex_mcp_tool_call_id: '1',
    codex_event_id: expect.any(String),
    codex_call_id: expect.any(String),
    codex_command: expect.arrayContaining([expect.stringContaining('touch made')]),
    codex_cwd: workspace.path,
    codex_parsed_cmd: [{ type: 'unknown', cmd: expect.stringContaining('touch made') }],
  });
  send({ id: asked.id, result: decision });
  expect((await answer(1)).result).toMatchObject({ content: [{ text: 'Done.' }] });
  expect(existsSync(join(workspace.path, 'made'))).toBe(made);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test('a question that is never answered ends with the cancellation of its call', async () => {
  const { child, send, answer, codex, ended, waitFor } = await rawScene([TOUCH], {
    config: ASKS,
    capabilities: CAN_ASK,
  });
  codex(1, { prompt: 'go' });
  const asked = await waitFor(({ method }) => method === 'elicitation/create');
  send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  expect((await answer(1)).result?.isError).toBe(true);
  const cancelled = await waitFor(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.params).toMatchObject({ requestId: asked.id });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test('a question that is never answered ends with the disconnection of the client', async () => {
  const { child, codex, ended, waitFor } = await rawScene([TOUCH], { config: ASKS, capabilities: CAN_ASK });
  codex(1, { prompt: 'go' });
  await waitFor(({ method }) => method === 'elicitation/create');
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test('a client that does not read is given up before the events fill the memory', async () => {
  const command = 'head -c 900000 /dev/zero | tr "\\0" x';
  const script: Script = (_, n) =>
    n <= 60 ? reply(call('exec_command', { cmd: command, max_output_tokens: 10 })) : reply(say('Done.'));
  const { child, ended, answer, codex, rollout } = await rawScene(script, {});
  codex(1, { prompt: 'go' });
  child.stdout.pause();
  await expect.poll(() => JSON.stringify(logged(rollout)), { timeout: 50_000 }).toContain('turn_aborted');
  child.stdout.resume();
  const { result } = await answer(1);
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: 'The client left 16 MB of events unread, so the turn was interrupted.' }],
  });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

/** Returns the lines of the thread, none before there is one. */
function logged(rollout: () => unknown[]): readonly unknown[] {
  try {
    return rollout();
  } catch {
    return [];
  }
}
