import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { onControllingTerminal } from '../../harness/on-controlling-terminal.ts';
import { PROGRAM, runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startListingServer } from './listing-server.ts';

const CLIENTS = 'codex claude opencode pi zed aider openhands cline continue openai-sdk anthropic-sdk ollama'.split(
  ' ',
);

describe('--for', () => {
  test('prints the configuration for Codex and exits', async () => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', '--for', 'codex'], { workspace });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(parse(result.stdout)).toEqual({
      model_provider: 'oxbow',
      model_providers: {
        oxbow: {
          name: 'Oxbow',
          base_url: 'http://127.0.0.1:4141/v1',
          wire_api: 'responses',
          supports_websockets: false,
        },
      },
    });
  });

  test('names the configured key, model and address', async () => {
    const { workspace } = await scene([]);
    const args = ['gateway', '--for', 'codex', '--host', '::', '--port', '5000', '--key-env', 'CLIENT', '-m', 'big'];
    const result = await runOxbow(args, { workspace, env: { CLIENT: 'client-key-1' } });
    expect(parse(result.stdout)).toMatchObject({
      model: 'big',
      model_providers: { oxbow: { base_url: 'http://127.0.0.1:5000/v1', env_key: 'CLIENT' } },
    });
    expect(result.stdout).not.toContain('client-key');
  });

  test.each(CLIENTS)('%s gets the address, the model where it needs one, and never the key', async (client) => {
    const { workspace } = await scene([]);
    const args = ['gateway', '--for', client, '-m', 'big/model', '--key-env', 'CLIENT', '--port', '5000'];
    const { code, stdout, stderr } = await runOxbow(args, { workspace, env: { CLIENT: 'client-key-1' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('http://127.0.0.1:5000');
    expect(stdout).not.toContain('client-key');
    if (!client.endsWith('-sdk') && client !== 'ollama') expect(stdout).toContain('big/model');
    const json = JSON.parse((await runOxbow([...args, '--json'], { workspace, env: { CLIENT: 'k' } })).stdout);
    expect(json).toMatchObject({ client, name: expect.any(String) });
    expect(JSON.stringify(json)).toContain('http://127.0.0.1:5000');
  });

  test('lists the clients where it has no value, and where it has an unknown one', async () => {
    const { workspace } = await scene([]);
    const list = await runOxbow(['gateway', '--for'], { workspace });
    expect(list).toMatchObject({ code: 0, stderr: '' });
    const names = list.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(' ')[0]);
    expect(names).toEqual(CLIENTS);
    expect((await runOxbow(['gateway', 'clients'], { workspace })).stdout).toBe(list.stdout);
    const wrong = await runOxbow(['gateway', '--for', 'codx'], { workspace });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain(`--for does not know "codx". Did you mean codex? It knows:\n${list.stdout}`);
    const json = JSON.parse((await runOxbow(['gateway', 'clients', '--json'], { workspace })).stdout);
    expect(json.map(({ id }: { id: string }) => id)).toEqual(CLIENTS);
  });

  test('asks the server for the models of a client that needs them', async () => {
    const s = await scene([]);
    const server = await startListingServer(s.model, ['one', 'two']);
    const { stdout } = await runOxbow(['gateway', '--for', 'pi', '--upstream', server.url], s);
    const file = JSON.parse(stdout.replace(/^\/\/.*$/gm, ''));
    expect(file.providers.oxbow.models).toEqual([{ id: 'one' }, { id: 'two' }]);
    const none = await startListingServer(s.model, []);
    const refused = await runOxbow(['gateway', '--for', 'pi', '--upstream', none.url], s);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('pi needs the name of a model, and the server lists none. Name one with -m NAME.');
  });

  test('needs a fixed port', async () => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', '--for', 'codex', '--port', '0'], { workspace });
    expect(result).toMatchObject({ code: 2, stderr: 'oxbow: --for needs a fixed port: --port 4141.\n' });
  });
});

describe('--write', () => {
  const WRITE = ['gateway', '--for', 'claude', '--write'];
  const OLD = '{\n  // mine\n  "theme": "dark",\n  "env": { "ANTHROPIC_API_KEY": "sk-very-secret" }\n}\n';

  async function claudeScene() {
    const s = await scene([]);
    const file = join(s.workspace.home, '.claude', 'settings.json');
    mkdirSync(dirname(file));
    writeFileSync(file, OLD);
    chmodSync(file, 0o640);
    return { ...s, file };
  }

  test('changes the file with --yes, keeps the old one and everything in it, and does it once', async () => {
    const { workspace, file } = await claudeScene();
    const result = await runOxbow([...WRITE, '--yes'], { workspace });
    expect(result.code).toBe(0);
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(
      OLD.replace(
        '"sk-very-secret" }',
        '"sk-very-secret", "ANTHROPIC_BASE_URL": "http://127.0.0.1:4141", "ANTHROPIC_AUTH_TOKEN": "oxbow" }',
      ),
    );
    expect(result.stderr).toContain(
      '~/.claude/settings.json was changed.\nThe old file is ~/.claude/settings.json.before-oxbow.\n',
    );
    expect(result.stderr).toContain('"ANTHROPIC_BASE_URL": "http://127.0.0.1:4141"');
    expect(result.stderr + result.stdout).not.toContain('very-secret');
    expect(readFileSync(`${file}.before-oxbow`, 'utf8')).toBe(OLD);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const again = await runOxbow([...WRITE, '--yes'], { workspace });
    expect(again).toMatchObject({ code: 0, stderr: '~/.claude/settings.json has these settings already.\n' });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(`${file}.before-oxbow-2`)).toBe(false);
  });

  test('is refused without a terminal', async () => {
    const { workspace, file } = await claudeScene();
    const result = await runOxbow(WRITE, { workspace });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(
      '--write asks before it changes a file, and there is no terminal to ask on. Add --yes.',
    );
    expect(readFileSync(file, 'utf8')).toBe(OLD);
  });

  test.each([
    ['y', 0],
    ['n', 1],
    ['', 1],
  ])('asks on a terminal, and the answer "%s" counts', async (answer, code) => {
    const s = await claudeScene();
    const terminal = await onControllingTerminal(`"${PROGRAM}" ${WRITE.join(' ')}; echo "code $?"`, s);
    await terminal.printed(`Change ${s.file}? [y/N]`);
    terminal.type(`${answer}\r`);
    await terminal.printed(`code ${code}`);
    await terminal.wait();
    expect(readFileSync(s.file, 'utf8') === OLD).toBe(code === 1);
    expect(existsSync(`${s.file}.before-oxbow`)).toBe(code === 0);
  });

  test.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('%s in place of an answer changes nothing, and the question keeps its line', async (_, key) => {
    const s = await claudeScene();
    const terminal = await onControllingTerminal(`"${PROGRAM}" ${WRITE.join(' ')}; echo "code $?"`, s);
    await terminal.printed(`Change ${s.file}? [y/N]`);
    terminal.type(key);
    const printed = await terminal.printed('code 1');
    await terminal.wait();
    expect(printed).toMatch(/^Nothing was changed\./m);
    expect(readFileSync(s.file, 'utf8')).toBe(OLD);
  });

  test('says so for clients without a file', async () => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', '--for', 'openai-sdk', '--write', '--yes'], { workspace });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('OpenAI SDK has no file for this.');
  });

  test('leaves a file of another form alone', async () => {
    const { workspace, file } = await claudeScene();
    writeFileSync(file, '["not settings"]');
    const result = await runOxbow([...WRITE, '--yes'], { workspace });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('has another form than expected, so it is left alone.');
    expect(readFileSync(file, 'utf8')).toBe('["not settings"]');
  });
});
