import { expect, it, onTestFinished } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { MODEL, startQuirky, startServer } from './quirky-server.ts';

interface DoctorRow {
  readonly id: string;
  readonly status: string;
  readonly what: string;
  readonly fix: string | null;
}

/** Runs doctor with a configuration for a server. Returns the rows about the server. */
async function onlineRows(url: string, ...flags: readonly string[]): Promise<{ rows: DoctorRow[]; stderr: string }> {
  const workspace = createWorkspace({});
  onTestFinished(() => workspace.dispose());
  workspace.configure(`model = "${MODEL}"
model_provider = "house"
[model_providers.house]
base_url = "${url}"
env_key = "SCRIPTED_KEY"
`);
  const { stdout, stderr } = await runOxbow(['doctor', '--json', ...flags], { workspace });
  const rows = JSON.parse(stdout) as DoctorRow[];
  return { rows: rows.filter(({ id }) => id.startsWith('online_')), stderr };
}

it('asks the server for its address, key, model and one call', async () => {
  const server = await startQuirky({});
  const { host } = new URL(server.url);
  const { rows, stderr } = await onlineRows(server.url, '--online');
  expect(rows).toEqual([
    { id: 'online_server', status: 'ok', what: `${host} answers over chat`, fix: null },
    { id: 'online_key', status: 'ok', what: 'accepted', fix: null },
    { id: 'online_model', status: 'ok', what: `${MODEL} answered`, fix: null },
    { id: 'online_call', status: 'ok', what: 'called as asked', fix: null },
  ]);
  expect(stderr).toContain(`small requests at most to ${host}.`);
});

it('sends nothing unless it is asked to', async () => {
  const server = await startQuirky({});
  expect((await onlineRows(server.url)).rows).toEqual([]);
  expect(server.paths).toEqual([]);
});

it('says what is wrong: the address, the key, the model or the call', async () => {
  const closed = await onlineRows('http://127.0.0.1:1/v1', '--online');
  expect(closed.rows).toMatchObject([
    { id: 'online_server', status: 'fail', what: expect.stringContaining('127.0.0.1:1') },
  ]);

  const locked = await startServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"Invalid key"}}');
  });
  const refused = await onlineRows(`${locked}/v1`, '--online');
  expect(refused.rows).toMatchObject([
    { id: 'online_server', status: 'ok' },
    { id: 'online_key', status: 'fail', what: expect.stringContaining('Invalid key') },
  ]);

  const server = await startQuirky({
    refuse: () => ({ status: 404, message: 'The model is gone', code: 'model_not_found' }),
  });
  const gone = await onlineRows(server.url, '--online');
  expect(gone.rows).toMatchObject([
    { id: 'online_server', status: 'ok' },
    { id: 'online_model', status: 'fail', what: expect.stringContaining('The model is gone') },
  ]);

  const silent = await startQuirky({ answer: () => ({ text: 'No.', calls: [] }) });
  const idle = await onlineRows(silent.url, '--online');
  expect(idle.rows.at(-1)).toMatchObject({ id: 'online_call', status: 'fail', fix: 'oxbow probe house says more' });
});
