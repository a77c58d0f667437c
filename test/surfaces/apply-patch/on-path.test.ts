import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findOwnCommands } from '../../../src/exec/environment/find-own-commands.ts';
import { runScript, testEnvironment } from '../../../src/exec/environment/test-environment.ts';
import { makeTree, readTree } from '../../../src/exec/files/test-tree.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { patchOf } from './run-command.ts';

const PATCH = patchOf('*** Update File: a.txt', '@@', '-old', '+new');
const hasBubblewrap = existsSync('/usr/bin/bwrap');
const hasPerl = existsSync('/usr/bin/perl');

async function run(cmd: string, args: readonly string[]) {
  const s = await scene([reply(call('exec_command', { cmd }, { callId: 'c' })), reply(say('done'))], {
    'a.txt': 'old\n',
    'fix.patch': PATCH,
  });
  const result = await runOxbow(['exec', '--json', ...args, 'go'], s);
  expect(result.code).toBe(0);
  return { output: s.outputs(1).get('c') ?? '', workspace: s.workspace };
}

describe('a command from the model finds apply_patch', () => {
  test.each(['apply_patch', 'applypatch'])('%s applies a patch from standard input', async (name) => {
    const { output, workspace } = await run(`cat fix.patch | ${name}`, ['-s', 'danger-full-access']);
    expect(output).toContain('Success. Updated the following files:\nM a.txt\n');
    expect(workspace.read('a.txt')).toBe('new\n');
  });

  test('last on the path', async () => {
    const cmd =
      'mkdir mine; printf "#!/bin/sh\\necho mine\\n" > mine/apply_patch; chmod +x mine/*; PATH="$PWD/mine:$PATH" apply_patch; echo "$PATH"';
    const { output } = await run(cmd, ['-s', 'danger-full-access']);
    expect(output).toMatch(/\nmine\n.*:[^:]*\/bin\/path\n/);
  });

  test('without Node on the path', async () => {
    const cmd = `PATH="/usr/bin:/bin:$(echo "$PATH" | sed 's/.*://')"; cat fix.patch | apply_patch`;
    const { output, workspace } = await run(cmd, ['-s', 'danger-full-access']);
    expect(output).toContain('Success.');
    expect(workspace.read('a.txt')).toBe('new\n');
  });

  test.skipIf(!hasBubblewrap)('in the sandbox, with the permissions of other commands', async () => {
    const inside = await run('cat fix.patch | apply_patch', ['-s', 'workspace-write']);
    expect(inside.output).toContain('Success.');
    expect(inside.workspace.read('a.txt')).toBe('new\n');
    const readOnly = await run('cat fix.patch | apply_patch', ['-s', 'read-only']);
    expect(readOnly.output).toMatch(/Failed to write file .*a\.txt/);
    expect(readOnly.workspace.read('a.txt')).toBe('old\n');
  });

  test('in oxbow sandbox', async () => {
    const s = await scene([], { 'a.txt': 'old\n' });
    const args = ['sandbox', '--mode', 'danger-full-access', '--', 'bash', '-c', 'apply_patch'];
    const result = await runOxbow(args, { ...s, stdin: PATCH });
    expect(result.stdout).toContain('M a.txt');
    expect(s.workspace.read('a.txt')).toBe('new\n');
  });
});

describe.each([
  ['bubblewrap', hasBubblewrap, {}],
  ['Landlock', hasPerl, { bubblewrap: async () => 'not here' }],
] as const)('under %s', (_, isHere, probes) => {
  test.skipIf(!isHere)('apply_patch runs, even with files that may not be read', async () => {
    const root = makeTree({ 'work/a.txt': 'old\n', 'secret/key': 'key' });
    const work = join(root, 'work');
    const commands = findOwnCommands(import.meta.dirname);
    const environment = testEnvironment({
      probes,
      ...(commands ? { commands } : {}),
      policy: {
        mode: 'workspace-write',
        writableRoots: [work],
        network: false,
        denyRead: [join(root, 'secret')],
      },
    });
    try {
      const script = `cat ../secret/key; apply_patch <<'END'\n${PATCH}END\n`;
      const { text } = await runScript(environment, script, { cwd: work });
      expect(text).not.toMatch(/^key/);
      expect(text).toContain('Success. Updated the following files:\nM a.txt\n');
      expect(readTree(work)).toMatchObject({ 'a.txt': 'new\n' });
    } finally {
      await environment.close();
    }
  });
});
