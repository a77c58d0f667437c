import { describe, expect, test } from 'vitest';
import type { CommandAction, PatchAction, PlanAction } from '../../base/action.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { ToolCall, View } from '../../base/tool.ts';
import type { ToolCode } from '../tool-entry.ts';
import { interceptPatches } from './intercept.ts';

const SCRIPT = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF";
const CALL: ToolCall = { callId: 'c', name: 'x', payload: { kind: 'custom', input: '' } };

const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
const folder = Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
const view = {
  cwd: '/w',
  files: {
    locate: async (path: string) => path,
    read: async (path: string) => {
      throw path.endsWith('sub') ? folder : missing;
    },
    isInGit: async () => true,
  },
} as Partial<View> as View;

function command(argv: readonly string[], more: Partial<CommandAction> = {}): CommandAction {
  return { kind: 'command', argv, cwd: '/w', login: true, escalate: false, yieldMs: 1, ...more };
}

function plan(action: CommandAction | PlanAction) {
  const code: ToolCode<CommandAction | PlanAction> = {
    plan: async () => action,
    run: async () => ({ output: 'ran', success: true }),
  };
  return { code: interceptPatches(code, 'nested'), planned: interceptPatches(code, 'nested').plan(CALL, view) };
}

describe('a command', () => {
  test('that only applies a patch is planned as the patch, with its wish to leave the sandbox', async () => {
    const action = command(['bash', '-c', SCRIPT], { escalate: true, justification: 'Why.' });
    const change = { type: 'add', path: '/w/a', shown: 'a', destroys: false, before: null, after: 'x\n' };
    expect(await plan(action).planned).toEqual({
      kind: 'patch',
      changes: [change],
      escalate: true,
      justification: 'Why.',
    });
  });

  test.each([
    [command(['bash', '-c', SCRIPT], { cwd: '/w/sub' }), '/w/sub/a'],
    [command(['bash', '-c', `cd sub && ${SCRIPT}`]), '/w/sub/a'],
    [command(['bash', '-c', `cd ../sub && ${SCRIPT}`], { cwd: '/w/sub' }), '/w/sub/a'],
    [command(['bash', '-c', `cd /sub && ${SCRIPT}`]), '/sub/a'],
  ])('applies the patch in its folder: %#', async (action, path) => {
    expect(await plan(action).planned).toMatchObject({ changes: [{ path }] });
  });

  test.each([command(['ls']), command(['bash', '-c', `${SCRIPT}\nls`])])(
    'of any other kind stays a command: %#',
    async (action) => {
      const { code, planned } = plan(action);
      expect(await planned).toBe(action);
      expect(await code.run(action, {} as CallEnvironment)).toEqual({ output: 'ran', success: true });
    },
  );

  test('that is a patch and nothing more is refused with a hint', async () => {
    const bare = command(['bash', '-c', '*** Begin Patch\n*** Delete File: a\n*** End Patch']);
    await expect(plan(bare).planned).rejects.toThrow(/^patch detected without explicit call to apply_patch/);
  });

  test('for a missing folder fails', async () => {
    await expect(plan(command(['bash', '-c', `cd no && ${SCRIPT}`])).planned).rejects.toThrow('/w/no: No such file');
  });
});

test('actions of other kinds are not changed', async () => {
  const action: PlanAction = { kind: 'plan', steps: [] };
  expect(await plan(action).planned).toBe(action);
});

describe('the answer', () => {
  const change = (type: 'add' | 'update' | 'delete', shown: string) =>
    ({ type, shown, path: `/w/${shown}`, destroys: false, before: 'a', after: 'b' }) as const;
  const action: PatchAction = {
    kind: 'patch',
    escalate: false,
    changes: [change('delete', 'd'), change('update', './m 1'), change('add', '/w/x/a'), change('update', 'm2')],
  };
  const code: ToolCode<CommandAction> = {
    plan: async () => command(['x']),
    run: async () => ({ output: '', success: true }),
  };
  const written = { change: async () => {} } as Partial<CallEnvironment> as CallEnvironment;
  const failing = {
    change: async () => {
      throw new ToolFailure('execution', 'The disk is full. Nothing was changed.');
    },
  } as Partial<CallEnvironment> as CallEnvironment;
  /** Runs the patch and hides the duration, which varies. */
  async function run(form: 'nested' | 'json' | 'text', environment: CallEnvironment) {
    const result = await interceptPatches(code, form).run(action, environment);
    const output = String(result.output)
      .replace(/(?<=Wall time: )\d+(\.\d)?(?= seconds)/, 'N')
      .replace(/(?<="duration_seconds":)\d+(\.\d)?/, '"N"');
    return { ...result, output };
  }
  const summary = 'Success. Updated the following files:\nA /w/x/a\nM ./m 1\nM m2\nD d\n';

  test.each([
    ['nested', `Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: N seconds\nOutput:\n${summary}`],
    ['text', `Exit code: 0\nWall time: N seconds\nOutput:\n${summary}`],
    ['json', JSON.stringify({ output: summary, metadata: { exit_code: 0, duration_seconds: 'N' } })],
  ] as const)('has the form of the tool: %s', async (form, output) => {
    expect(await run(form, written)).toEqual({ output, success: true });
  });

  test('has the form of a failed command after a failure', async () => {
    expect(await run('text', failing)).toEqual({
      output: 'Exit code: 1\nWall time: N seconds\nOutput:\nThe disk is full. Nothing was changed.',
      success: false,
      failure: 'execution',
    });
  });
});
