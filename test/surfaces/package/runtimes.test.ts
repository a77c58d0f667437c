import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REPOSITORY } from './doc-pages.ts';

/** Programs stand in the repository while they run, so that `oxbow` is the built package in every runtime. */
const PROGRAMS = join(REPOSITORY, '.cache/runtimes');

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'oxbow-runtimes-'));
  mkdirSync(PROGRAMS, { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true }));

function run([command = '', ...args]: readonly string[], ...more: string[]) {
  const env = { PATH: process.env.PATH, HOME: home, OXBOW_HOME: join(home, 'oxbow'), DENO_NO_UPDATE_CHECK: '1' };
  const options = { cwd: REPOSITORY, env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(command, [...args, ...more], options);
  return { status, stdout, stderr };
}

const REFUSED = `
const { createAgent } = await import('oxbow');
const { Codex } = await import('oxbow/codex-sdk');
await Promise.all(['gateway', 'store', 'testing', 'wire'].map((name) => import('oxbow/' + name)));
try { createAgent(); } catch (error) { console.log(error.name, error.code, error.message); }
await new Codex().startThread().run('go').catch((error) => console.log(error.name, error.code, error.message));
`;

const SAID =
  /^UserError unsupported Oxbow needs Node 20\.19 or newer, and this is (Bun|Deno) [\d.]+\. Start the program with node\.$/;

describe('a runtime that is not Node', () => {
  const asBun = `Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.4.4' } });`;

  test('gets the library, and an error from createAgent before anything runs', () => {
    const { stdout, stderr } = run([process.execPath], '--input-type=module', '-e', asBun + REFUSED);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(SAID), expect.stringMatching(SAID)]);
    expect(readdirSync(home)).toEqual([]);
  });

  test('gets a sentence from the program', () => {
    const preload = join(home, 'as-bun.cjs');
    writeFileSync(preload, asBun);
    const result = run([process.execPath], '--require', preload, 'bin/oxbow', 'exec', 'go');
    rmSync(preload);
    const stderr = 'oxbow: Oxbow needs Node 20.19 or newer, and this is Bun 1.4.4. Start the program with node.\n';
    expect(result).toEqual({ status: 1, stdout: '', stderr });
    expect(readdirSync(home)).toEqual([]);
  });
});

const GATEWAY = `
import http from 'node:http';
import { createGateway } from 'oxbow/gateway';
import { reply, say, startScriptedModel } from 'oxbow/testing';

const model = await startScriptedModel([reply(say('one two'))]);
const gateway = createGateway({ upstream: { url: model.url } });
const server = http.createServer(gateway.handle);
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
const url = 'http://127.0.0.1:' + server.address().port + '/v1/chat/completions';
const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
console.log((await response.json()).choices[0].message.content);
process.exit(0);
`;

/** Commands that run a program, in the folder where bun and deno are installed. */
function runtimesIn(folder: string): Record<string, readonly string[]> {
  const at = (name: string) => join(folder, 'node_modules/.bin', name);
  return { bun: [at('bun')], deno: [at('deno'), 'run', '-A'] };
}

if (process.env.OXBOW_RUNTIMES) {
  describe.each(Object.entries(runtimesIn(process.env.OXBOW_RUNTIMES)))('in %s', (name, runtime) => {
    const program = (text: string) => {
      const path = join(PROGRAMS, `${name}-${text.length}.mjs`);
      writeFileSync(path, text);
      return run(runtime, path);
    };

    test('the library is imported, and the agent refused', () => {
      expect(existsSync(runtime[0] ?? '')).toBe(true);
      const lines = program(REFUSED).stdout.trim().split('\n');
      expect(lines).toEqual([expect.stringMatching(SAID), expect.stringMatching(SAID)]);
    });

    test('the program is refused', () => {
      expect(run(runtime, 'bin/oxbow', 'exec', 'go')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('oxbow: Oxbow needs Node 20.19 or newer, and this is '),
      });
    });

    test('the gateway serves', () => {
      expect(program(GATEWAY)).toMatchObject({ status: 0, stdout: 'one two\n' });
    });
  });
}
