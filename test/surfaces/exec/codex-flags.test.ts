import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

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

  test.each([
    [['--oss'], '--oss does not say which server to ask. Add --local-provider ollama'],
    [['--local-provider', 'other'], '--local-provider takes ollama or lmstudio, not "other".'],
  ])('%s is refused with the way out', async (flags, message) => {
    const result = await runOxbow(['exec', ...flags, 'hello'], await scene([]));
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
