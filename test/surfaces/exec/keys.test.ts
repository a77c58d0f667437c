import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const refused = fault.status(401, { error: { message: 'Incorrect API key provided: of-codex-123' } });

const CONFIG = 'model_provider = "openai"\nmodel = "m"\nsandbox_mode = "danger-full-access"\n';

/** Keys in the order in which they count. */
const PLACES = [
  ['CODEX_API_KEY', 'of-codex-123'],
  ['OWN_KEY', 'of-provider-123'],
  ['auth.json', 'of-file-12345'],
  ['OPENAI_API_KEY', 'of-openai-123'],
] as const;

test.each(PLACES.map((place, at) => [place[0], at] as const))(
  'a refused key of %s is named by its place and never shown',
  async (name, at) => {
    const { model, workspace } = await scene([refused]);
    const left = PLACES.slice(at);
    workspace.configure(`openai_base_url = "${model.url}"\n${CONFIG}[model_providers.openai]\nenv_key = "OWN_KEY"\n`);
    const file = join(workspace.home, 'auth.json');
    const stored = left.find(([place]) => place === 'auth.json');
    if (stored) writeFileSync(file, JSON.stringify({ OPENAI_API_KEY: stored[1] }));
    const env = Object.fromEntries(left.filter(([place]) => place !== 'auth.json'));
    const { code, stdout, stderr } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace, env });
    expect(code).toBe(1);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${PLACES[at]?.[1]}`]);
    expect(stderr).toContain(`The key came from ${name === 'auth.json' ? file : name}: check it there.`);
    for (const [, key] of PLACES.slice(at, at + 1)) expect(stdout + stderr).not.toContain(key);
  },
);

test('a server that wants a key from a provider without one says how to name it', async () => {
  const { model, workspace } = await scene([refused]);
  workspace.configure(
    `model_provider = "mine"\nmodel = "m"\n[model_providers.mine]\nbase_url = "${model.url}"\nwire_api = "responses"\n`,
  );
  const { stderr } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace });
  expect(stderr).toContain('No key was sent: name its variable with env_key in the table of this provider.');
});

test('a key of the environment wins over the one of auth.json', async () => {
  const { model, workspace } = await scene([reply(say('hi'))]);
  workspace.configure(`openai_base_url = "${model.url}"\n${CONFIG}`);
  writeFileSync(join(workspace.home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'of-file-12345' }));
  const env = { CODEX_API_KEY: 'of-codex-123', OPENAI_API_KEY: 'of-openai-123' };
  const { code } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace, env });
  expect(code).toBe(0);
  expect(model.requests[0]?.headers.authorization).toBe('Bearer of-codex-123');
});

const provider = (url: string, more = '') =>
  `model_provider = "mine"\nmodel = "m"\n[model_providers.mine]\nname = "Mine"\nbase_url = "${url}"\nwire_api = "responses"\nrequest_max_retries = 0\n${more}`;

test.each([
  [
    'an expired plan',
    fault.status(403, { error: { code: 'usage_not_included', message: 'no' } }),
    'Use another model, another plan or an API key.',
  ],
  [
    'no money left',
    fault.status(429, { error: { code: 'insufficient_quota', message: 'no' } }),
    'Check your plan and billing details.',
  ],
  ['a wrong path', fault.status(404, 'no such page'), 'Check base_url and the name of the model.'],
  ['a page instead of JSON', fault.html(200), 'Check base_url.'],
])('%s is a sentence that says what to do', async (_, answer, advice) => {
  const { model, workspace } = await scene([answer]);
  workspace.configure(provider(model.url));
  const { code, stderr } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace });
  expect(code).toBe(1);
  expect(stderr).toContain(advice);
});

test.each([
  ['env_key = "MY_KEY"\n', 'Missing environment variable: `MY_KEY`. Set it to the key of Mine.'],
  ['requires_openai_auth = true\n', 'Sign in, set OPENAI_API_KEY, or choose another provider'],
  ['', 'Check that the server is running and that base_url is right.'],
])('a provider with %j: no key or no server is a sentence', async (more, advice) => {
  const { workspace } = await scene([]);
  workspace.configure(provider('http://127.0.0.1:9/v1', more));
  const { code, stderr } = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace });
  expect(code).toBe(1);
  expect(stderr).toContain(advice);
});
