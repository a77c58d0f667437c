import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createAgent } from '../../../src/index.ts';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

/** Files that change a turn, or make it fail, if they are read. */
const HOME_TRAPS = {
  'config.toml': 'model = "poison"\ndeveloper_instructions = "poison"\nmodel_provider = "poison"\n',
  'auth.json': '{ "OPENAI_API_KEY": "poison-key" }',
  'AGENTS.md': 'poison',
  'rules/default.rules': 'poison(',
  'poison.config.toml': 'model = "poison"',
  '.profile': 'export POISON=poison',
  '.bash_profile': 'export POISON=poison',
  '.oxbow/config.toml': 'model = "poison"',
};
const PROJECT_TRAPS = {
  'AGENTS.md': 'poison',
  '.env': 'OPENAI_API_KEY=poison',
  '.codex/config.toml': 'model = "poison"',
  '.codex/rules/default.rules': 'poison(',
  '.oxbow/config.toml': 'developer_instructions = "poison"',
};

/** Sets traps in the home, the project and the variables of this process, and starts a model. */
async function trapScene(script: Script) {
  const s = await scene(script, PROJECT_TRAPS);
  for (const [name, text] of Object.entries(HOME_TRAPS)) {
    mkdirSync(dirname(join(s.workspace.home, name)), { recursive: true });
    writeFileSync(join(s.workspace.home, name), text);
  }
  const { home, path } = s.workspace;
  Object.assign(process.env, { HOME: home, OXBOW_HOME: home, OXBOW_MODEL: 'poison', OPENAI_API_KEY: 'poison-key' });
  const settings = {
    model: 'scripted',
    model_provider: 'scripted',
    sandbox_mode: 'danger-full-access',
    model_providers: { scripted: { name: 'Scripted', base_url: s.model.url, wire_api: 'responses' } },
  } as const;
  const files = () => [home, path].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  return { ...s, settings, files };
}

test('the traps work: without `hermetic` they are found', async () => {
  const s = await trapScene([]);
  expect(() => createAgent({ cwd: s.workspace.path })).toThrow('poison');
});

test('a hermetic agent reads and writes no file, and no variable of the process', async () => {
  const s = await trapScene([
    reply(call('exec_command', { cmd: 'echo "[$POISON$OXBOW_MODEL]"' })),
    reply(say('done')),
    reply(say('again')),
  ]);
  const files = s.files();
  const agent = createAgent({ hermetic: true, cwd: s.workspace.path, settings: s.settings });
  const thread = await agent.startThread();
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.outputs(1).get('call_1')).toContain('[]\n');
  expect(JSON.stringify(s.model.requests).replaceAll('$POISON', '')).not.toContain('poison');
  expect(s.model.requests[0]?.headers.authorization).toBeUndefined();
  expect(agent.config.warnings).toEqual([]);
  await thread.close();

  // The thread is in memory as long as the agent lives.
  const resumed = await agent.resumeThread(await agent.lastThread());
  expect((await resumed.run('go on')).finalResponse).toBe('again');
  await agent.close();
  expect(s.files()).toEqual(files);
});

test('a hermetic agent has the variables and the profiles that it is passed', async () => {
  const s = await trapScene([]);
  const { settings, workspace } = s;
  const options = { hermetic: true, cwd: workspace.path, profile: 'poison' };
  expect(() => createAgent({ ...options, settings })).toThrow('There is no profile "poison" in the settings.');
  const profiles = { poison: { model: 'mine' } };
  const { model: _, ...rest } = settings;
  expect(createAgent({ ...options, settings: { ...rest, profiles } }).model).toBe('mine');
  expect(
    createAgent({ hermetic: true, cwd: workspace.path, env: { OXBOW_MODEL: 'theirs' }, settings: rest }).model,
  ).toBe('theirs');
});

test('a hermetic agent with a home keeps its threads there, and reads no settings from it', async () => {
  const s = await trapScene([reply(say('done'))]);
  const agent = createAgent({ hermetic: true, home: s.workspace.home, cwd: s.workspace.path, settings: s.settings });
  expect((await (await agent.startThread()).run('go')).status).toBe('completed');
  await agent.close();
  expect(existsSync(join(s.workspace.home, 'sessions'))).toBe(true);
  expect(JSON.stringify(s.model.requests)).not.toContain('poison');
});

test('`home` beats the variables and is relative to the working folder', async () => {
  const s = await scene([], { 'state/config.toml': 'model = "of the home"' });
  const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home };
  const agent = createAgent({ home: 'state', cwd: s.workspace.path, env });
  expect(agent.config.home).toBe(join(s.workspace.path, 'state'));
  expect(agent.model).toBe('of the home');
  await agent.close();
});
