import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const PROGRAM = `
  import { request } from 'node:http';
  import { fault } from './fault.ts';
  import { pause, reply } from './reply.ts';
  import { startScriptedModel } from './scripted-model.ts';
  const model = await startScriptedModel([reply(pause(600_000)), fault.hangBeforeHeaders()]);
  model.waitForRequest(9);
  for (const n of [1, 2]) {
    const client = request(model.url + '/responses', { method: 'POST' });
    client.on('error', () => {}).on('response', (response) => response.on('error', () => {}));
    client.end('{}');
    await model.waitForRequest(n);
  }
  await model.close();
  process.stdout.write('closed');
`;

test('a closed server leaves nothing that would keep a process alive', async () => {
  const bundle = await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  const input = bundle.outputFiles[0]?.text ?? '';
  const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-'], {
    input,
    timeout: 20_000,
    encoding: 'utf8',
  });
  expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: 'closed' });
});
