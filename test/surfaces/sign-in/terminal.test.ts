import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { type ChatGptServer, startChatGptServer } from '../../harness/authorization-server.ts';
import { runOnTerminal } from '../../harness/run-on-terminal.ts';
import { cleanEnvironment } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
let server: ChatGptServer;
let port: number;
beforeEach(async () => {
  workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  server = await startChatGptServer();
  port = await freePort();
});

async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((ready) => taken.listen(0, '127.0.0.1', ready));
  const { port: free } = taken.address() as AddressInfo;
  await new Promise((done) => taken.close(done));
  return free;
}

/** Runs a command on a terminal, with a browser that notes the address and goes there. */
function onTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const folder = join(workspace.home, 'bin');
  mkdirSync(folder);
  const script = `#!/bin/sh\necho "$1" > "${noted()}"\nexec curl -sL "$1"\n`;
  writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
  return runOnTerminal(args, {
    workspace,
    model: { url: 'http://127.0.0.1:1' },
    config: { auth: { issuer: server.url, callback_ports: [port] } },
    columns: 2000,
    env: { DISPLAY: ':0', PATH: `${folder}:${cleanEnvironment(workspace).PATH}`, ...env },
  });
}

const noted = () => join(workspace.home, 'opened');

test('on a terminal the browser is opened', async () => {
  const run = await onTerminal(['login']);
  const { code, text } = await run.wait();
  expect([code, text]).toEqual([0, expect.stringContaining('It was opened in your browser.')]);
  expect(readFileSync(noted(), 'utf8')).toContain(`${server.url}/oauth/authorize?`);
});

test.each([
  ['in CI', ['login'], { CI: 'true' }],
  ['with --no-browser', ['login', '--no-browser'], {}],
])('%s the address is only printed', async (_, args, env) => {
  const run = await onTerminal(args, env);
  await run.printed('Waiting for you to sign in.');
  // Ends the login in the way in which another one does.
  await fetch(`http://127.0.0.1:${port}/cancel`);
  const { code, text } = await run.wait();
  expect([code, text]).toEqual([1, expect.stringContaining(`${server.url}/oauth/authorize?`)]);
  expect(text).not.toContain('opened');
  expect(existsSync(noted())).toBe(false);
});

test('a key is asked for on a terminal, and not shown', async () => {
  const run = await onTerminal(['login', '--with-api-key']);
  await run.printed('API key, which is not shown: ');
  run.type('sk-typed-x\u007f\r');
  const { code, text } = await run.wait();
  expect([code, text]).toEqual([0, expect.stringContaining('The key is kept in ')]);
  expect(text).not.toContain('typed');
  expect(readFileSync(join(workspace.home, 'auth.json'), 'utf8')).toContain('"sk-typed-"');
});

test('no key is kept after Ctrl-C', async () => {
  const run = await onTerminal(['login', '--with-api-key']);
  await run.printed('API key');
  run.type('sk-typed\u0003');
  const { code, text } = await run.wait();
  expect([code, text]).toEqual([1, expect.stringContaining('No key was typed.')]);
  expect(existsSync(join(workspace.home, 'auth.json'))).toBe(false);
});
