import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

/** Claims of docs/coming-from-codex.md and docs/coming-from-claude-code.md that no other test makes. */
describe('a Codex home', () => {
  test('is the home if CODEX_HOME names it: settings, instructions, rules, threads', async () => {
    const s = await scene([reply(say('one')), reply(say('two'))], {
      'codex/AGENTS.md': 'Be brief.',
      'codex/rules/default.rules': 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n',
    });
    const { workspace } = s;
    workspace.write('codex/config.toml', scriptedConfig(s.model.url, { profiles: { fast: { model: 'small' } } }));
    const run = (...args: string[]) =>
      runOxbow(args, { workspace, env: { OXBOW_HOME: '', CODEX_HOME: workspace.file('codex') } });
    expect(await run('exec', '-p', 'fast', 'hello')).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(await run('exec', 'resume', '--last', 'again')).toMatchObject({ code: 0, stdout: 'two\n' });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['small', 'scripted']);
    expect(JSON.stringify(s.model.requests[0]?.body.input)).toContain('Be brief.');
    expect((await run('execpolicy', 'check', '--', 'git', 'push')).stdout).toContain('forbidden');
    expect(existsSync(workspace.file('codex/sessions'))).toBe(true);
  });
});

describe('CLAUDE.md', () => {
  test.each([
    ['as a fallback name', { project_doc_fallback_filenames: ['CLAUDE.md'] }, 'CLAUDE.md'],
    ['through a link called AGENTS.md', {}, '.claude/CLAUDE.md'],
  ])('is read %s, without the files that it names', async (_, config, path) => {
    const s = await scene([reply(say('done'))], { 'style.md': 'Two spaces.' });
    mkdirSync(s.workspace.file('.claude'));
    s.workspace.write(path, 'Use tabs.\n@style.md\n');
    if (path.includes('/')) symlinkSync(path, s.workspace.file('AGENTS.md'));
    expect((await runOxbow(['exec', 'hello'], { ...s, config })).code).toBe(0);
    const texts = JSON.stringify(s.model.requests[0]?.body.input);
    expect(texts).toContain('Use tabs.\\n@style.md');
    expect(texts).not.toContain('Two spaces.');
  });
});
