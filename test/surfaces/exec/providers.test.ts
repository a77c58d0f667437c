import { expect, onTestFinished, test } from 'vitest';
import { HOSTED, MOVABLE } from '../../../src/model/providers/built-in.ts';
import { createWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';

const KEY = 'sk-very-secret-key';

async function run(args: readonly string[], toml: string, env: Record<string, string> = {}) {
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  workspace.configure(toml);
  const result = await runOxbow(args, { workspace, env });
  expect(result.stdout + result.stderr).not.toContain(KEY);
  return result;
}

const OWN = `model_provider = "mine"
[model_providers.mine]
name = "Mine"
base_url = "http://user:${KEY}@localhost:9/v1?token=${KEY}"
wire_api = "chat"
experimental_bearer_token = "${KEY}"
[model_providers.broken]
name = "Broken"
`;

test('oxbow providers shows every provider, its key, and the configured one', async () => {
  const { code, stdout, stderr } = await run(['providers'], OWN, { GROQ_API_KEY: KEY, OPENAI_API_KEY: KEY });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  const row = (id: string) => rows.find(([mark = '', name]) => (mark === '' ? name : mark) === id)?.slice(-3);
  expect(rows[0]).toEqual(['', 'id', 'key', 'wire', 'address']);
  expect(rows).toHaveLength(1 + Object.keys(HOSTED).length + Object.keys(MOVABLE).length + 2);
  expect(row('groq')).toEqual(['from GROQ_API_KEY', 'chat', 'https://api.groq.com/openai/v1']);
  expect(row('mistral')?.[0]).toBe('MISTRAL_API_KEY not set');
  expect(row('openai')?.[0]).toBe('from OPENAI_API_KEY');
  expect(row('ollama')?.[0]).toBe('not needed');
  expect(row('azure')?.at(-1)).toBe('needs a base_url');
  expect(row('broken')?.at(-1)).toBe('needs a base_url');
  expect(stdout).toMatch(/^\* mine +from config\.toml \(\S+\) +chat +http:\/\/\S*\[redacted\]/m);
  expect(stdout.match(/^\*/gm)).toHaveLength(1);
});

test('--json prints the same for programs', async () => {
  const { stdout } = await run(['providers', '--json', '-c', 'model_provider="groq"'], OWN, { GROQ_API_KEY: KEY });
  const rows: { id: string }[] = JSON.parse(stdout);
  const row = (id: string) => rows.find((one) => one.id === id);
  expect(row('groq')).toEqual({
    id: 'groq',
    name: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    wire: 'chat',
    defaultModel: null,
    envKey: 'GROQ_API_KEY',
    key: { status: 'found', from: 'GROQ_API_KEY' },
    isBuiltIn: true,
    isChosen: true,
    problem: null,
  });
  expect(row('mine')).toMatchObject({ isBuiltIn: false, isChosen: false, envKey: null, key: { status: 'found' } });
  expect(row('ollama')).toMatchObject({ key: { status: 'not needed', from: null } });
  expect(row('azure')).toMatchObject({
    baseUrl: null,
    envKey: 'AZURE_OPENAI_API_KEY',
    key: { status: 'missing', from: null },
    problem: expect.stringContaining('has no base_url'),
  });
});

test('a word too many is refused, with the command that was probably meant', async () => {
  expect(await run(['providers', 'groq'], '')).toMatchObject({
    code: 2,
    stderr: 'oxbow: oxbow providers takes no "groq". oxbow models PROVIDER lists the models of a provider.\n',
  });
});

test('shells complete the providers behind oxbow models', async () => {
  const { stdout } = await run(['completion', '--candidates', 'providers', '--', 'm'], OWN);
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining(['mine\tMine', 'mistral\tMistral', 'moonshot-cn\tMoonshot (China)']),
  );
  expect((await run(['completion', 'bash'], '')).stdout).toMatch(
    /models\) case \$word in -\*\) ;; \*\) list=providers/,
  );
});
