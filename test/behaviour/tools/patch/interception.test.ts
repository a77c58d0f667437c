import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { LocalShellCallItem } from '../../../../src/base/item.ts';
import { call, customCall, raw } from '../../../../src/testing/index.ts';
import { patch, runPatches, success, summary } from './patch-scene.ts';

const PATCH = patch('*** Update File: a.txt\n-$one `x`\n+two', '*** Add File: b.txt\n+new');
const SCRIPT = `apply_patch <<'EOF'\n${PATCH}\nEOF\n`;
const files = { 'a.txt': '$one `x`\n', 'sub/a.txt': '$one `x`\n' };
const SUMMARY = summary('A b.txt', 'M a.txt');

const shell = (command: readonly string[], more = {}) => call('shell', { command, ...more }, { callId: 'c' });
const exec = (cmd: string, more = {}) => call('exec_command', { cmd, ...more }, { callId: 'c' });

describe('a command that only applies a patch becomes a patch', () => {
  test.each([
    ['exec_command with a here-document', exec(SCRIPT)],
    ['exec_command with a word', exec(`# first\napply_patch '${PATCH}'`)],
    ['exec_command with the other name', exec(`\n${SCRIPT.replace('apply_patch', 'applypatch')}\n# done\n`)],
    ['shell with words', shell(['apply_patch', PATCH])],
    ['shell with a script', shell(['bash', '-lc', SCRIPT])],
    ['container.exec', call('container.exec', { command: ['bash', '-lc', SCRIPT] }, { callId: 'c' })],
    ['shell_command', call('shell_command', { command: SCRIPT }, { callId: 'c' })],
  ])('%s', async (_, made) => {
    const run = await runPatches([[made]], { files });
    expect(run.workspace.read('a.txt')).toBe('two\n');
    expect(run.workspace.read('b.txt')).toBe('new\n');
    expect(run.workspace.read('sub/a.txt')).toBe(files['sub/a.txt']);
    expect(run.shown).toMatchObject([{ item: { id: 'c', status: 'running' } }, { item: { status: 'completed' } }]);
    expect(run.events.some((event) => event.type === 'item.started' && event.item.type === 'command')).toBe(false);
    expect(run.diffs).toHaveLength(1);
  });

  test.each([
    ['cd before it', exec(`cd sub && ${SCRIPT}`)],
    ['workdir', exec(SCRIPT, { workdir: 'sub' })],
    ['both', exec(`cd .. && ${SCRIPT}`, { workdir: 'sub/deep' })],
    ['workdir of shell', shell(['apply_patch', PATCH], { workdir: 'sub' })],
  ])('in another folder: %s', async (_, made) => {
    const run = await runPatches([[made]], { files: { ...files, 'sub/deep/x': '' } });
    expect(run.workspace.read('sub/a.txt')).toBe('two\n');
    expect(run.workspace.read('sub/b.txt')).toBe('new\n');
    expect(run.workspace.read('a.txt')).toBe(files['a.txt']);
  });

  test('local_shell', async () => {
    const action: LocalShellCallItem['action'] = { type: 'exec', command: ['bash', '-lc', SCRIPT] };
    const item = { type: 'local_shell_call', id: 'lsh_1', call_id: 'c', status: 'completed', action };
    const made = raw({ type: 'response.output_item.done', output_index: 0, item });
    const run = await runPatches([[made]], { files });
    expect(run.workspace.read('a.txt')).toBe('two\n');
    expect(JSON.parse(run.output('c') ?? '')).toMatchObject({ output: SUMMARY, metadata: { exit_code: 0 } });
  });
});

describe('the output has the form of the tool', () => {
  test('exec_command', async () => {
    const output = (await runPatches([[exec(SCRIPT)]], { files })).output('c') ?? '';
    const nested = /^Wall time: 0\.0000 seconds\nOutput:\n(.*)$/s.exec(output)?.[1];
    expect(nested).toMatch(success('A b.txt', 'M a.txt'));
  });

  test('shell', async () => {
    const output = (await runPatches([[shell(['apply_patch', PATCH])]], { files })).output('c') ?? '';
    const metadata = { exit_code: 0, duration_seconds: expect.any(Number) };
    expect(JSON.parse(output)).toEqual({ output: SUMMARY, metadata });
  });

  test('shell as text, and shell_command', async () => {
    const config = { tools: { shell_output: 'text' } };
    const asText = await runPatches([[shell(['apply_patch', PATCH])]], { files, config });
    expect(asText.output('c')).toMatch(success('A b.txt', 'M a.txt'));
    const made = call('shell_command', { command: SCRIPT }, { callId: 'c' });
    expect((await runPatches([[made]], { files })).output('c')).toMatch(success('A b.txt', 'M a.txt'));
  });

  test('a mismatch is reported as by apply_patch', async () => {
    const run = await runPatches([[exec(SCRIPT)], [shell(['apply_patch', PATCH])]]);
    const reason = `Failed to read file to update ${run.workspace.file('a.txt')}: No such file or directory (os error 2)`;
    expect(run.outputs(1).get('c')).toBe(`apply_patch verification failed: ${reason}`);
  });

  test('a patch without a command', async () => {
    const run = await runPatches([[exec(PATCH)]], { files });
    expect(run.output('c')).toMatch(/^patch detected without explicit call to apply_patch/);
    expect(run.workspace.read('a.txt')).toBe(files['a.txt']);
  });
});

test('a command that does anything else runs as a command', async () => {
  const run = await runPatches([[exec(`echo before; ${SCRIPT}`)], [customCall('apply_patch', PATCH)]], { files });
  expect(run.events.some((event) => event.type === 'item.started' && event.item.type === 'command')).toBe(true);
  expect(run.outputs(1).get('c')).toContain('before\n');
});

test('a cd to a missing folder creates nothing', async () => {
  const run = await runPatches([[exec(`cd none && apply_patch <<'EOF'\n${patch('*** Add File: x\n+1')}\nEOF`)]]);
  expect(run.output('c')).toContain('No such file or directory');
  expect(existsSync(run.workspace.file('none'))).toBe(false);
});
