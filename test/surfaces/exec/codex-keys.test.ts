import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { call, reply, say, think } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

test('keys of Codex without effect are named once, in a run, by config and by doctor', async () => {
  const s = await scene(() => reply(say('done')));
  const config = { tui: { theme: 'x', keymap: {} }, skills: { config: [] }, tools: { colour: 1 } };
  const { code, stderr } = await runOxbow(['exec', 'x'], { ...s, config });
  expect(code).toBe(0);
  const file = join(s.workspace.home, 'config.toml');
  expect(stderr).not.toContain('tui');
  expect(stderr).toContain(
    `warning: These settings of Codex have no effect here: skills in ${file}. oxbow config says `,
  );
  expect(stderr).toContain(`warning: Unknown settings were ignored: tools.colour in ${file}.\n`);

  const explained = await runOxbow(['config'], { workspace: s.workspace });
  expect(explained.stderr).toContain(
    `warning: skills in ${file} has no effect. There are no agents below an agent, skills`,
  );
  expect(explained.stderr.match(/tui/g)).toHaveLength(1);
  const doctor = await runOxbow(['doctor'], { workspace: s.workspace });
  expect(doctor.stdout).toContain(`no effect here: skills in ${file}.`);
  expect(doctor.stdout).toContain(`For the screens of Codex only: tui.keymap in ${file}.`);

  const silent = await runOxbow(['exec', 'x'], {
    ...s,
    config: { ...config, ignored_keys: ['skills', 'tools.colour'] },
  });
  expect(silent.stderr).not.toContain('warning');
});

test('a key that guards something stops the run until it is ignored', async () => {
  const s = await scene(() => reply(say('done')));
  const config = { hooks: { PreToolUse: [{ matcher: '.*' }] }, default_permissions: ':read-only' };
  const stopped = await runOxbow(['exec', 'x'], { ...s, config });
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toMatch(/hooks in \S+config\.toml guards something, but has no effect here\. /);
  expect(stopped.stderr).toContain('set ignored_keys = ["default_permissions", "hooks"] in your config.toml.');
  expect(s.model.requests).toHaveLength(0);
  const sandboxed = await runOxbow(['sandbox', '--', 'touch', 'ran'], { workspace: s.workspace });
  expect({ code: sandboxed.code, ran: existsSync(s.workspace.file('ran')) }).toEqual({ code: 125, ran: false });

  const doctor = await runOxbow(['doctor'], { workspace: s.workspace });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout.match(/guards something/g)).toHaveLength(2);
  const explained = await runOxbow(['config'], { workspace: s.workspace });
  expect({ code: explained.code, said: explained.stderr.includes('ignored_keys = ["default') }).toEqual({
    code: 0,
    said: true,
  });

  const run = await runOxbow(['exec', 'x'], {
    ...s,
    config: { ...config, ignored_keys: ['hooks', 'default_permissions'] },
  });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'done\n' });
  expect(run.stderr).not.toContain('hooks');
});

test('hooks.json guards like hooks, until hooks are ignored or switched off', async () => {
  const s = await scene(() => reply(say('done')));
  writeFileSync(join(s.workspace.home, 'hooks.json'), '{"hooks":{"Stop":[]}}');
  const stopped = await runOxbow(['exec', 'x'], s);
  expect(stopped).toMatchObject({ code: 1, stderr: expect.stringMatching(/hooks in \S+hooks\.json guards something/) });
  for (const config of [{ ignored_keys: ['hooks'] }, { features: { hooks: false } }])
    expect(await runOxbow(['exec', 'x'], { ...s, config })).toMatchObject({ code: 0, stdout: 'done\n' });
});

test('a key for the screens of Codex alone leaves doctor content', async () => {
  const s = await scene(() => reply(say('done')));
  const run = await runOxbow(['exec', 'x'], {
    ...s,
    config: { tui: { theme: 'x', keymap: {} }, notice: { hide: true } },
  });
  expect(run.stderr).not.toContain('warning');
  const doctor = await runOxbow(['doctor', '--json'], { workspace: s.workspace });
  expect(JSON.parse(doctor.stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: 'config',
        status: 'ok',
        what: expect.stringMatching(/only: tui\.keymap, notice in /),
      }),
    ]),
  );
});

test('features of Codex switch tools here', async () => {
  const s = await scene(() => reply(say('done')));
  const offered = async (features: Record<string, boolean>) => {
    const { stderr } = await runOxbow(['exec', 'x'], { ...s, config: { model: 'gpt-5.5', features } });
    expect(stderr).not.toContain('warning');
    return s.model.requests.at(-1)?.body.tools?.map((tool) => ('name' in tool ? tool.name : tool.type));
  };
  const all = await offered({});
  expect(all).toEqual(expect.arrayContaining(['exec_command', 'view_image']));
  expect(all).not.toContain('web_search');
  const fewer = await offered({ shell_tool: false, view_image: false, web_search_request: true });
  expect(fewer).not.toEqual(expect.arrayContaining(['exec_command']));
  expect(fewer).not.toEqual(expect.arrayContaining(['view_image']));
  expect(fewer).toContain('web_search');
});

test('allow_login_shell = false: no profile is run, and a call for a login shell is refused', async () => {
  const s = await scene([
    reply(call('exec_command', { cmd: 'echo "<$FROM_PROFILE>"' }, { callId: 'plain' })),
    reply(call('exec_command', { cmd: 'echo', login: true }, { callId: 'login' })),
    reply(say('done')),
  ]);
  writeFileSync(join(s.workspace.home, '.bash_profile'), 'export FROM_PROFILE=yes\n');
  const env = { SHELL: '/bin/bash' };
  const { code } = await runOxbow(['exec', 'x'], { ...s, env, config: { allow_login_shell: false } });
  expect(code).toBe(0);
  expect(s.outputs(2).get('plain')).toContain('<>');
  expect(s.outputs(2).get('login')).toContain('login shell is disabled by config; omit `login` or set it to false.');
});

test.each(['ignored_keys = ["hooks"]', 'features.hooks = false'])(
  'a project cannot say that a guard is not needed: %s',
  async (toml) => {
    const s = await scene(() => reply(say('done')));
    s.workspace.write('.codex/config.toml', toml);
    const config = { hooks: { Stop: [] }, projects: { [s.workspace.path]: { trust_level: 'trusted' } } };
    const { code, stderr } = await runOxbow(['exec', 'x'], { ...s, config });
    expect(code).toBe(1);
    expect(stderr).toContain('hooks in');
    expect(s.model.requests).toHaveLength(0);
  },
);

test('hide_agent_reasoning: people see no reasoning, programs do', async () => {
  const s = await scene(() => reply(think(['**Weighing** it']), say('done')));
  const shown = await runOxbow(['exec', 'x'], s);
  expect(shown.stderr).toContain('Weighing');
  const config = { hide_agent_reasoning: true };
  const hidden = await runOxbow(['exec', 'x'], { ...s, config });
  expect({ ...hidden, stderr: hidden.stderr.includes('Weighing') }).toMatchObject({ stdout: 'done\n', stderr: false });
  const { events } = await runOxbow(['exec', '--json', 'x'], { ...s, config });
  expect(events.flatMap(({ item }) => (item ? [item.type] : []))).toEqual(['reasoning', 'agent_message']);
});

test.each([
  ['flex', 'flex'],
  ['fast', 'priority'],
  ['default', undefined],
])('service_tier = "%s" is sent as %s', async (service_tier, sent) => {
  const s = await scene(() => reply(say('done')));
  const { code, stderr } = await runOxbow(['exec', 'x'], { ...s, config: { service_tier } });
  expect({ code, warned: stderr.includes('warning') }).toEqual({ code: 0, warned: false });
  expect(s.model.requests.map(({ body }) => body.service_tier)).toEqual([sent]);
});

test('review_model is the model of a review, and -m beats it', async () => {
  const s = await scene(() => reply(say('All good.')));
  const config = { review_model: 'strict' };
  const { stderr } = await runOxbow(['exec', 'review', 'Look at it.'], { ...s, config });
  expect(stderr).toContain('model: strict ');
  await runOxbow(['exec', 'review', '-m', 'chosen', 'Look at it.'], { ...s, config });
  await runOxbow(['exec', '-m', 'plain', 'x'], { ...s, config });
  expect(s.model.requests.map(({ body }) => body.model)).toEqual(['strict', 'chosen', 'plain']);
});

/** Writes a program that writes its arguments into a file, then waits. */
function notifier(s: Scene): { readonly program: string; readonly file: string } {
  const file = join(s.workspace.home, 'noted');
  const text = `#!/bin/sh\nprintf '%s\\n' "$@" > ${file}.new && mv ${file}.new ${file}\nsleep 3\n`;
  const program = s.workspace.write('note.sh', text);
  chmodSync(program, 0o755);
  return { program, file };
}

test('notify: the program gets one JSON argument after its own, and the run does not wait for it', async () => {
  const s = await scene(() => reply(say('hello there')));
  const { program, file } = notifier(s);
  const { code, events } = await runOxbow(['exec', '--json', 'hi'], { ...s, config: { notify: [program, 'one'] } });
  expect(code).toBe(0);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 10_000 });
  const [first, json = ''] = readFileSync(file, 'utf8').split('\n');
  expect(first).toBe('one');
  expect(JSON.parse(json)).toEqual({
    type: 'agent-turn-complete',
    'thread-id': events[0]?.thread_id,
    'turn-id': expect.any(String),
    cwd: s.workspace.path,
    client: 'oxbow_exec',
    'input-messages': ['hi'],
    'last-assistant-message': 'hello there',
  });
});

test.each([
  ['that does not exist', ['/no/such/program'], 'done'],
  ['whose argument is too long', ['/bin/true'], 'x'.repeat(200_000)],
])('notify: a program %s does not make the turn fail', async (_, notify, answer) => {
  const s = await scene(() => reply(say(answer)));
  const { code, stdout } = await runOxbow(['exec', 'x'], { ...s, config: { notify } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${answer}\n` });
});

test('notify: a trusted project cannot start a program', async () => {
  const s = await scene(() => reply(say('done')));
  const { program, file } = notifier(s);
  s.workspace.write('.codex/config.toml', `notify = [${JSON.stringify(program)}]`);
  const config = { projects: { [s.workspace.path]: { trust_level: 'trusted' } } };
  await runOxbow(['trust', '--yes', s.workspace.path], { workspace: s.workspace });
  const { code, stderr } = await runOxbow(['exec', 'x'], { ...s, config });
  expect(code).toBe(0);
  expect(stderr).toMatch(/notify in \S+ was ignored: a project may not set it/);
  expect(existsSync(file)).toBe(false);
});
