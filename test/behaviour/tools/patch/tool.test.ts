import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createAgent, type Event } from '../../../../src/index.ts';
import { call, customCall, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { scene } from '../../../harness/scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { patch, runPatches, success } from './patch-scene.ts';

const MIXED = patch(
  '*** Delete File: gone.txt',
  '*** Update File: ./old.txt\n one\n-two\n+zwei',
  '*** Add File: deep/new.txt\n+hello',
  '*** Update File: from.txt\n*** Move to: deep/to.txt\n@@\n-a\n+b',
);
const BEFORE = { 'gone.txt': 'x\n', 'old.txt': 'one\ntwo\n', 'from.txt': 'a\n' };

const overChat = { model_providers: { scripted: { wire_api: 'chat' } } };

describe('a patch is applied', () => {
  test.each([
    ['as a custom call', {}, customCall('apply_patch', MIXED, { callId: 'p' })],
    ['as a function call', {}, call('apply_patch', { input: MIXED }, { callId: 'p' })],
    ['under its other name', {}, customCall('applypatch', MIXED, { callId: 'p' })],
    ['over chat', overChat, call('apply_patch', { input: MIXED }, { callId: 'p' })],
    [
      'offered as a free text over chat',
      { ...overChat, tools: { apply_patch: 'freeform' } },
      customCall('apply_patch', MIXED, { callId: 'p' }),
    ],
  ])('%s', async (_, config, made) => {
    const run = await runPatches([[made]], { files: BEFORE, config });
    const ended = run.events.find((event) => event.type === 'call.ended');
    expect(ended).toMatchObject({ success: true, failure: null });
    expect(run.workspace.read('old.txt')).toBe('one\nzwei\n');
    expect(run.workspace.read('deep/new.txt')).toBe('hello\n');
    expect(run.workspace.read('deep/to.txt')).toBe('b\n');
    expect(existsSync(run.workspace.file('gone.txt'))).toBe(false);
    expect(existsSync(run.workspace.file('from.txt'))).toBe(false);
  });

  test('to a deleted link, not to its target', async () => {
    const run = await runPatches([[customCall('apply_patch', patch('*** Delete File: link.txt'), { callId: 'p' })]], {
      files: { 'kept.txt': 'x\n' },
      prepare: (at) => symlinkSync('kept.txt', at('link.txt')),
    });
    expect(run.output('p')).toMatch(success('D link.txt'));
    expect(run.workspace.read('kept.txt')).toBe('x\n');
    expect(() => lstatSync(run.workspace.file('link.txt'))).toThrow('ENOENT');
  });

  test('and the model gets the files, in order and as it spelled them', async () => {
    const run = await runPatches([[customCall('apply_patch', MIXED, { callId: 'p' })]], { files: BEFORE });
    expect(run.output('p')).toMatch(success('A deep/new.txt', 'M ./old.txt', 'M deep/to.txt', 'D gone.txt'));
    // This model was offered a function.
    const output = run.model.requests[1]?.body.input?.at(-1);
    expect(output).toMatchObject({ type: 'function_call_output', call_id: 'p' });
  });

  test('and shown with a diff of each file, before and after', async () => {
    const run = await runPatches([[customCall('apply_patch', MIXED, { callId: 'p' })]], { files: BEFORE });
    const at = (name: string) => run.workspace.file(name);
    const changes = [
      { kind: 'delete', path: at('gone.txt') },
      { kind: 'update', path: at('old.txt') },
      { kind: 'add', path: at('deep/new.txt') },
      { kind: 'update', path: at('from.txt'), to: at('deep/to.txt') },
    ];
    expect(run.shown).toMatchObject([
      { type: 'item.started', item: { id: 'p', status: 'running', changes } },
      { type: 'item.completed', item: { id: 'p', status: 'completed', changes } },
    ]);
    const diffs = run.shown[1]?.item.changes.map(({ diff }) => diff) ?? [];
    expect(diffs[1]).toBe(
      'diff --git a/old.txt b/old.txt\n--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n',
    );
    expect(diffs[3]).toContain('rename from from.txt\nrename to deep/to.txt\n');
  });

  test('in order with the other calls of the response: an earlier command has ended, and a later one sees the change', async () => {
    const run = await runPatches([
      [
        call('exec_command', { cmd: 'sleep 0.3; cat a.txt 2>/dev/null || echo none' }, { callId: 'before' }),
        customCall('apply_patch', patch('*** Add File: a.txt\n+text'), { callId: 'p' }),
        call('exec_command', { cmd: 'cat a.txt' }, { callId: 'after' }),
      ],
    ]);
    expect(run.output('before')).toContain('Output:\nnone\n');
    expect(run.output('p')).toMatch(success('A a.txt'));
    expect(run.output('after')).toContain('Output:\ntext\n');
  });
});

describe('all or nothing', () => {
  test.each([
    [
      'a place that does not fit',
      '*** Update File: old.txt\n-three\n+drei',
      'Failed to find expected lines in {}/old.txt:\nthree',
    ],
    [
      'a file that is not there',
      '*** Delete File: no.txt',
      'Failed to read {}/no.txt: No such file or directory (os error 2)',
    ],
    [
      'two parts about one file',
      '*** Update File: ./gone.txt\n-x\n+y',
      'invalid patch: multiple operations target {}/gone.txt',
    ],
    [
      'a line that belongs nowhere',
      '*** Rename File: x',
      "invalid hunk at line 3, '*** Rename File: x' is not a valid hunk header",
    ],
  ])('%s', async (_, section, reason) => {
    const text = patch('*** Delete File: gone.txt', section);
    const run = await runPatches([[customCall('apply_patch', text, { callId: 'p' })]], { files: BEFORE });
    expect(run.output('p')).toContain(`apply_patch verification failed: ${reason.replace('{}', run.workspace.path)}`);
    for (const [name, content] of Object.entries(BEFORE)) expect(run.workspace.read(name)).toBe(content);
    expect(run.shown).toEqual([]);
    expect(run.diffs).toEqual([]);
  });

  test('a path that is not writable', async () => {
    const text = patch('*** Add File: a\n+1', '*** Delete File: gone.txt', '*** Add File: /proc/no-such/b\n+2');
    const run = await runPatches([[customCall('apply_patch', text, { callId: 'p' })]], { files: BEFORE });
    expect(run.output('p')).toMatch(
      /^Exit code: 1\nWall time: .*\nOutput:\n\/proc\/no-such\/b .*Nothing was changed\.$/,
    );
    expect(existsSync(run.workspace.file('a'))).toBe(false);
    expect(run.workspace.read('gone.txt')).toBe('x\n');
    expect(run.shown).toMatchObject([{ item: { status: 'running' } }, { item: { status: 'failed' } }]);
    expect(run.diffs).toEqual([]);
    const ended = run.events.find((event) => event.type === 'call.ended');
    expect(ended).toMatchObject({ success: false, failure: 'execution' });
  });

  test('an empty patch is refused', async () => {
    const run = await runPatches([[customCall('apply_patch', patch(), { callId: 'p' })]]);
    expect(run.output('p')).toBe('patch rejected: empty patch');
    expect(run.shown).toEqual([]);
  });
});

describe('the tool in the request', () => {
  const offered = async (config: object) => {
    const run = await runPatches([], { config: { ...config } });
    return run.model.requests[0]?.body.tools?.filter((tool) => 'name' in tool && tool.name === 'apply_patch');
  };

  test('is free text with a grammar, or a function', async () => {
    expect(await offered({ tools: { apply_patch: 'freeform' } })).toMatchObject([
      { type: 'custom', format: { type: 'grammar', syntax: 'lark', definition: expect.stringContaining('start:') } },
    ]);
    expect(await offered({ tools: { apply_patch: 'function' } })).toMatchObject([
      { type: 'function', parameters: { required: ['input'] } },
    ]);
    expect(await offered({ tools: { apply_patch: false } })).toEqual([]);
  });
});

describe('the diff of a turn', () => {
  const update = (from: string, to: string) =>
    customCall('apply_patch', patch(`*** Update File: a.txt\n-${from}\n+${to}`));

  test('comes after each response that changed it, and is the net of all patches', async () => {
    const run = await runPatches(
      [
        [update('1', '2'), update('2', '3')],
        [call('exec_command', { cmd: 'true' })],
        [update('3', '4')],
        [update('4', '1')],
      ],
      { files: { 'a.txt': '1\n' } },
    );
    const diff = (after: string) =>
      `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+${after}\n`;
    expect(run.diffs).toEqual([diff('3'), diff('4'), '']);
    const types = run.events.map(({ type }) => type);
    expect(types.indexOf('turn.diff')).toBeGreaterThan(types.indexOf('usage'));
    expect(types.indexOf('turn.diff')).toBeLessThan(types.lastIndexOf('request.ended'));
  });

  test('can be applied by git', async () => {
    const run = await runPatches([[customCall('apply_patch', MIXED)]], { files: BEFORE });
    const { path } = run.workspace;
    const after = run.workspace.read('old.txt');
    execFileSync('git', ['apply', '-R', '-'], { cwd: path, input: run.diffs[0] });
    for (const [name, content] of Object.entries(BEFORE)) expect(run.workspace.read(name)).toBe(content);
    execFileSync('git', ['apply', '-'], { cwd: path, input: run.diffs[0] });
    expect(run.workspace.read('old.txt')).toBe(after);
  });

  test('shows paths relative to the root of the repository', async () => {
    const made = customCall('apply_patch', patch('*** Add File: a.txt\n+1', '*** Add File: /tmp/../tmp/b.txt\n+2'));
    const s = await scene([reply(made), reply(say('done'))]);
    s.workspace.configure(scriptedConfig(s.model.url, { sandbox_mode: 'read-only', approval_policy: 'on-request' }));
    s.workspace.write('sub/x', '');
    const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, SCRIPTED_KEY: 'k', PATH: process.env.PATH };
    const shown: Event[] = [];
    const options = { onEvent: (event: Event) => shown.push(event), ask: async () => 'denied' as const };
    const thread = await createAgent({ env, cwd: s.workspace.file('sub') }).startThread(options);
    await thread.run('go');
    await thread.close();
    const diffs = shown.flatMap((event) =>
      event.type === 'item.completed' && event.item.type === 'file_change'
        ? event.item.changes.map(({ diff }) => diff.split('\n')[3])
        : [],
    );
    expect(diffs).toEqual(['+++ b/sub/a.txt', expect.stringContaining('/tmp/b.txt')]);
  });
});

test('a thread with a patch is resumed with the call and its output', async () => {
  const s = await libraryScene([
    reply(customCall('apply_patch', patch('*** Add File: a.txt\n+1'), { callId: 'p' })),
    reply(say('done')),
    reply(customCall('apply_patch', patch('*** Update File: a.txt\n-1\n+2'), { callId: 'q' })),
    reply(say('again')),
  ]);
  const first = await s.agent.startThread(s.threadOptions());
  await first.run('go');
  await first.close();
  const second = await s.agent.resumeThread(first.id, s.threadOptions());
  expect((await second.run('on')).finalResponse).toBe('again');
  await second.close();
  expect(s.workspace.read('a.txt')).toBe('2\n');
  expect(s.outputs(2).get('p')).toMatch(success('A a.txt'));
  expect(s.outputs(3).get('q')).toMatch(success('M a.txt'));
  const diffs = s.events.flatMap((event) => (event.type === 'turn.diff' ? [event.diff] : []));
  expect(diffs).toEqual([expect.stringContaining('new file mode'), expect.stringContaining('-1\n+2\n')]);
});
