import { describe, expect, test } from 'vitest';
import type { LocalShellCallItem } from '../../base/item.ts';
import { createLocalShell } from '../local-shell/tool.ts';
import { createShellCommand } from '../shell-command/tool.ts';
import { BARE_VIEW, functionCall } from '../test-environment.ts';
import { createShell } from './tool.ts';

const command = {
  kind: 'command',
  cwd: '/project',
  login: true,
  escalate: false,
  yieldMs: 10_000,
  timeoutMs: 10_000,
};

describe('shell', () => {
  const plan = (args: unknown) => createShell('json').plan(functionCall('shell', args), BARE_VIEW);

  test('runs the words as they are', async () => {
    expect(await plan({ command: ['ls', '-l'] })).toEqual({ ...command, argv: ['ls', '-l'] });
  });

  test('accepts a folder and a time limit', async () => {
    expect(await plan({ command: ['ls'], workdir: 'sub', timeout_ms: 5 })).toMatchObject({
      cwd: '/project/sub',
      timeoutMs: 5,
    });
    expect(await plan({ command: ['ls'], timeout: 7 })).toMatchObject({ timeoutMs: 7 });
  });

  test('accepts both parameters for leaving the sandbox', async () => {
    const why = { justification: 'needs the network' };
    const asked = { escalate: true, justification: 'needs the network' };
    expect(await plan({ command: ['ls'], with_escalated_permissions: true, ...why })).toMatchObject(asked);
    expect(
      await plan({ command: ['ls'], sandbox_permissions: 'require_escalated', prefix_rule: ['ls'], ...why }),
    ).toMatchObject({ ...asked, prefixRule: ['ls'] });
    expect(await plan({ command: ['ls'], with_escalated_permissions: false, justification: '' })).toEqual({
      ...command,
      argv: ['ls'],
    });
    await expect(plan({ command: ['ls'], ...why })).rejects.toThrow(
      '`justification` was given without `with_escalated_permissions: true`.',
    );
  });

  test('runs operators in a shell', async () => {
    expect(await plan({ command: ['echo', 'a b', '>', 'f'] })).toMatchObject({
      argv: ['/bin/bash', '-c', "echo 'a b' > f"],
      repair: { id: 'argv_operators' },
    });
  });

  test.each([
    [{ command: [] }, '`command` is empty'],
    [{ command: 'ls' }, 'expected array, got string'],
    [{}, 'missing field `command`'],
  ])('%j is refused', async (args, reason) => {
    await expect(plan(args)).rejects.toThrow(`failed to parse function arguments: `);
    await expect(plan(args)).rejects.toThrow(reason);
  });
});

describe('shell_command', () => {
  const plan = (args: unknown) => createShellCommand('text').plan(functionCall('shell_command', args), BARE_VIEW);

  test("runs a script in the user's shell", async () => {
    const argv = ['/bin/bash', '-c', 'ls | wc'];
    expect(await plan({ command: 'ls | wc' })).toEqual({ ...command, argv });
    expect(await plan({ command: 'ls | wc', login: false, workdir: '/x', timeout_ms: 9 })).toEqual({
      ...{ ...command, argv, login: false, cwd: '/x' },
      ...{ yieldMs: 9, timeoutMs: 9 },
    });
  });

  test('needs a wish to leave the sandbox for its justification', async () => {
    await expect(plan({ command: 'ls', justification: 'why' })).rejects.toThrow(
      '`justification` was given without `sandbox_permissions: "require_escalated"`.',
    );
  });
});

describe('local_shell', () => {
  const tool = createLocalShell({ form: 'json', user: () => 'me' });
  const plan = (action: Omit<LocalShellCallItem['action'], 'type'>) =>
    tool.plan(
      { callId: 'c', name: 'local_shell', payload: { kind: 'local_shell', action: { type: 'exec', ...action } } },
      BARE_VIEW,
    );

  test('accepts a local_shell call', async () => {
    expect(await plan({ command: ['ls'], working_directory: 'sub', timeout_ms: 8, user: 'me', env: {} })).toEqual({
      ...{ ...command, argv: ['ls'], cwd: '/project/sub' },
      ...{ yieldMs: 8, timeoutMs: 8 },
    });
  });

  test('accepts a function call, as chat servers send it', async () => {
    const args = { command: ['ls'], workdir: 'sub', with_escalated_permissions: true, justification: 'x' };
    expect(await tool.plan(functionCall('local_shell', args), BARE_VIEW)).toEqual({
      ...{ ...command, argv: ['ls'], cwd: '/project/sub', escalate: true, justification: 'x' },
    });
  });

  test('shows variables as part of the command', async () => {
    const { argv } = await plan({ command: ['make', 'a b'], env: { A: '1', B_2: 'x y' } });
    expect(argv).toEqual(['env', 'A=1', 'B_2=x y', 'make', 'a b']);
  });

  test.each(['-i', 'A=B', '', 'A B', '1A'])('the variable "%s" is refused', async (name) => {
    await expect(plan({ command: ['ls'], env: { [name]: 'x' } })).rejects.toThrow('`env` must hold names of variables');
  });

  test('refuses another user', async () => {
    await expect(plan({ command: ['ls'], user: 'root' })).rejects.toThrow(
      'Commands run as me, not as root: leave `user` out.',
    );
  });
});
