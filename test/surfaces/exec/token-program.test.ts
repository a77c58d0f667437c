import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

/** Writes a program that prints a key with the number of its run, and a config.toml that uses it. */
function useProgram({ workspace, model }: Scene, script: string, settings = ''): string {
  const runs = join(workspace.home, 'runs');
  const program = join(workspace.home, 'print-key');
  writeFileSync(program, `#!/bin/sh\necho "$PWD" >> "${runs}"\nn=$(wc -l < "${runs}" | tr -d ' ')\n${script}\n`);
  chmodSync(program, 0o755);
  workspace.configure(
    `model_provider = "mine"\nmodel = "m"\nsandbox_mode = "danger-full-access"\n[model_providers.mine]\nname = "Mine"\nbase_url = "${model.url}"\nwire_api = "responses"\n[model_providers.mine.auth]\ncommand = "./print-key"\n${settings}`,
  );
  return runs;
}

const exec = ({ workspace }: Scene) => runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace });
const sent = ({ model }: Scene) => model.requests.map(({ headers }) => headers.authorization);
const refused = fault.status(401, { error: { message: 'expired' } });

test('a program prints the key: it runs once, in the folder of config.toml, for all requests', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'true' })), reply(say('done'))]);
  const runs = useProgram(s, 'echo "  key-number-$n  "', 'args = ["--quiet"]');
  expect((await exec(s)).code).toBe(0);
  expect(sent(s)).toEqual(['Bearer key-number-1', 'Bearer key-number-1']);
  expect(readFileSync(runs, 'utf8')).toBe(`${s.workspace.home}\n`);
});

test('a refused key is printed anew, once, and the error names the program', async () => {
  const s = await scene([refused, reply(say('done')), refused, refused]);
  useProgram(s, 'echo key-number-$n');
  expect((await exec(s)).code).toBe(0);
  expect(sent(s)).toEqual(['Bearer key-number-1', 'Bearer key-number-2']);
  const { code, stderr } = await exec(s);
  expect(code).toBe(1);
  expect(stderr).toContain('The key came from the program ./print-key: check it there.');
  expect(sent(s)).toHaveLength(4);
});

test('a key that is older than refresh_interval_ms is printed anew', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'sleep 0.1' })), reply(say('done'))]);
  useProgram(s, 'echo key-number-$n', 'refresh_interval_ms = 1');
  expect((await exec(s)).code).toBe(0);
  expect(sent(s)).toEqual(['Bearer key-number-1', 'Bearer key-number-2']);
});

test.each([
  ['exit 3', '', 'failed (exit code 3).'],
  ['echo "sign in first." >&2; exit 1', '', 'failed (exit code 1): sign in first.'],
  ['true', '', 'printed nothing.'],
  ['echo two words', '', 'printed more than a key. It must print the key alone.'],
  ['sleep 20', 'timeout_ms = 50', 'printed no key in 50 ms. Set timeout_ms if it needs longer.'],
])('a program that does `%s` is a sentence', async (script, settings, what) => {
  const s = await scene([]);
  useProgram(s, script, settings);
  const { code, stderr } = await exec(s);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `The program ./print-key, which prints the key of Mine, ${what} It is set in [model_providers.mine.auth] of config.toml.`,
  );
  expect(s.model.requests).toEqual([]);
});

test('a program that is not there is named', async () => {
  const s = await scene([]);
  useProgram(s, 'true', `cwd = "${s.workspace.path}"`);
  const { stderr } = await exec(s);
  expect(stderr).toMatch(/The program \.\/print-key, which prints the key of Mine, could not be started: .*ENOENT/);
});

test.each([
  ['env_key = "KEY"', 'and env_key both say where the key comes from. Remove one of the two.'],
  ['requires_openai_auth = true', 'and requires_openai_auth both say where the key comes from.'],
])('%s and a program together are a mistake', async (line, why) => {
  const { workspace } = await scene([]);
  workspace.configure(
    `model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://localhost:9/v1"\n${line}\n[model_providers.mine.auth]\ncommand = "x"\n`,
  );
  const { code, stderr } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace });
  expect(code).toBe(1);
  expect(stderr).toContain(`[model_providers.mine.auth] ${why}`);
});

test('the key of a program is not in the thread', async () => {
  const s = await scene([reply(say('done'))]);
  useProgram(s, 'echo secret-of-the-program');
  expect((await exec(s)).code).toBe(0);
  expect(JSON.stringify(s.rollout())).not.toContain('secret-of-the-program');
});
