import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { listing } from '../../harness/listing.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

describe('command lines of Codex', () => {
  test.each([
    ['e', '-m', 'mine', 'hello'],
    ['-m', 'mine', 'exec', 'hello'],
    ['-c', 'model="mine"', 'e', 'hello'],
    ['exec', '--enable', 'shell_snapshot', '--disable', 'web_search_request', '-m', 'mine', 'hello'],
  ])('%s %s %s %s', async (...args) => {
    const s = await scene([reply(say('done'))]);
    expect(await runOxbow(args, s)).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['mine']);
  });

  test.each([[['exec', 'help']], [['exec', 'help', 'resume']], [['help', 'exec']], [['help', 'e']], [['e', '--help']]])(
    '%s shows the help',
    async (args) => {
      const result = await runOxbow(args, await scene([]));
      expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: oxbow exec/) });
    },
  );

  test('exec -V shows the version', async () => {
    const result = await runOxbow(['exec', '-V'], await scene([]));
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^oxbow \d/) });
  });

  test('-i takes several files before --', async () => {
    const s = await scene([reply(say('done'))], { 'a.gif': 'GIF89a', 'b.gif': 'GIF89a' });
    expect((await runOxbow(['exec', '-i', 'a.gif', 'b.gif', '--', 'what?'], s)).code).toBe(0);
    expect(JSON.stringify(s.model.requests[0]?.body.input).match(/data:image\/gif;base64,/g)).toHaveLength(2);
  });

  test('--local-provider chooses a server on this machine', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    workspace.configure(`[model_providers.ollama]\nbase_url = "${model.url}"\n`);
    const result = await runOxbow(['exec', '--oss', '--local-provider', 'ollama', '-m', 'tiny', 'hello'], {
      workspace,
    });
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
  });

  test('values of options are not taken for the command', async () => {
    const s = await scene(() => reply(say('done')));
    expect(await runOxbow(['-m', 'e', 'exec', 'hello'], s)).toMatchObject({ code: 0 });
    expect(await runOxbow(['-m', 'exec', '-c', 'model_verbosity=low', 'e', 'hello'], s)).toMatchObject({ code: 0 });
    expect(await runOxbow(['-me', '--sandbox=read-only', 'exec', 'hello'], s)).toMatchObject({ code: 0 });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['e', 'exec', 'e']);
    const config = await runOxbow(['-c', 'model="mine"', 'config', 'get', 'model'], { workspace: s.workspace });
    expect(config).toMatchObject({ code: 0, stdout: 'mine\n' });
  });

  test('--strict-config stops at settings that nobody knows, not at those of Codex', async () => {
    const s = await scene(() => reply(say('done')));
    const codex = { tui: { theme: 'x' }, features: { multi_agent: true } };
    expect(await runOxbow(['exec', '--strict-config', 'x'], { ...s, config: codex })).toMatchObject({ code: 0 });
    const result = await runOxbow(['exec', '--strict-config', 'x'], { ...s, config: { tools: { colour: 1 } } });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^oxbow: Unknown settings: tools\.colour in /),
    });
    const given = await runOxbow(['exec', '--strict-config', '-c', 'zzz=1', 'x'], s);
    expect(given).toMatchObject({ code: 1, stderr: 'oxbow: Unknown settings: zzz in -c zzz.\n' });
    expect(s.model.requests).toHaveLength(1);
  });

  test('--ignore-user-config leaves out config.toml of the home', async () => {
    const s = await scene(() => reply(say('done')));
    const config = { model: 'of-the-file', hooks: { Stop: [] } };
    const settings = [
      ...['-c', `model_providers.s={base_url="${s.model.url}"}`, '-c', 'model_provider="s"'],
      ...['-m', 'mine', '--ignore-user-config', '-s', 'danger-full-access'],
    ];
    const result = await runOxbow(['exec', ...settings, 'x'], { ...s, config });
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['mine']);
  });

  test('--approve-for-me means the workspace-write sandbox, and says that nobody approves', async () => {
    const s = await scene(() => reply(say('done')));
    const result = await runOxbow(['exec', '--approve-for-me', 'x'], { ...s, config: { sandbox_mode: 'read-only' } });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('warning: --approve-for-me: no model approves anything here. ');
    expect(result.stderr).toContain('sandbox: workspace-write');
    const both = await runOxbow(['exec', '--approve-for-me', '-s', 'read-only', 'x'], s);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used with --sandbox') });
  });

  test('options without effect say so, and those of the screen of Codex are accepted', async () => {
    const s = await scene(() => reply(say('done')));
    const quiet = await runOxbow(['-a', 'never', '--no-alt-screen', '--no-daemon', 'exec', 'x'], s);
    expect({ code: quiet.code, warned: quiet.stderr.includes('warning') }).toEqual({ code: 0, warned: false });
    const noted = await runOxbow(
      ['exec', '--dangerously-bypass-hook-trust', '--cyber-access-program', 'standard', 'x'],
      s,
    );
    expect(noted.stderr.match(/^warning: --.* has no effect: /gm)).toHaveLength(2);
    const remote = await runOxbow(['--remote', 'ws://127.0.0.1:1', 'exec', 'x'], s);
    expect(remote).toMatchObject({ code: 2, stderr: expect.stringContaining('--remote cannot be used with exec') });
  });
});

describe('--oss', () => {
  /** Writes a configuration whose servers on this machine have these addresses. */
  const localServers = ({ workspace }: Scene, addresses: Record<string, string>, more = '') => {
    const tables = Object.entries(addresses).map(([id, url]) => `[model_providers.${id}]\nbase_url = "${url}"\n`);
    workspace.configure(`model = "gpt-5.5"\n${more}\n${tables.join('')}`);
    return { workspace };
  };
  const NOWHERE = 'http://127.0.0.1:1/v1';

  test('finds the server that runs, and asks for its only model', async () => {
    const s = await scene([reply(say('done'))]);
    const front = await listing(s.model, ['tiny']);
    const options = localServers(s, { ollama: NOWHERE, lmstudio: front.url });
    const result = await runOxbow(['exec', '--oss', 'hello'], options);
    expect(result).toMatchObject({ code: 0, stdout: 'done\n', stderr: expect.stringContaining('tiny (LM Studio)') });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['tiny']);
  });

  test('without a server, says what was tried and how to start one', async () => {
    const s = await scene([]);
    const result = await runOxbow(['exec', '--oss', 'x'], localServers(s, { ollama: NOWHERE, lmstudio: NOWHERE }));
    expect(result).toMatchObject({
      code: 1,
      stderr: `oxbow: No server answers on this machine. Tried: LM Studio at ${NOWHERE}, Ollama at ${NOWHERE}. Start one with lms server start or ollama serve, then run this again.\n`,
    });
  });

  test('with several servers, takes the one with the model, that of oss_provider or of --local-provider', async () => {
    const s = await scene(() => reply(say('done')));
    const [one, two] = [await listing(s.model, ['a', 'b']), await listing(s.model, ['c'])];
    const addresses = { ollama: one.url, lmstudio: two.url };
    const options = localServers(s, addresses);
    const refused = await runOxbow(['exec', '--oss', 'x'], options);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Several servers run on this machine: lmstudio (c), ollama (a, b). Choose one with',
    );
    const several = await runOxbow(['exec', '--oss', '--local-provider', 'ollama', 'x'], options);
    expect(several.stderr).toContain('Ollama has several models: a, b. Choose one with -m MODEL.');
    expect((await runOxbow(['exec', '--oss', '-m', 'b', 'x'], options)).stderr).toContain('b (Ollama)');
    expect((await runOxbow(['exec', '--oss', '--local-provider', 'lmstudio', 'x'], options)).code).toBe(0);
    const chosen = localServers(s, addresses, 'oss_provider = "lmstudio"');
    expect((await runOxbow(['exec', '--oss', 'x'], chosen)).stderr).toContain('c (LM Studio)');
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['b', 'c', 'c']);
    const other = await runOxbow(['exec', '--oss', '--local-provider', 'zai', 'x'], options);
    expect(other.stderr).toContain('The provider "zai" is not on this machine. These are: lmstudio, ollama.');
  });
});
