import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PatchAction } from '../../../../src/base/action.ts';
import type { Answer, Ask } from '../../../../src/index.ts';
import { call, customCall } from '../../../../src/testing/index.ts';
import { patch, runPatches, success } from './patch-scene.ts';

let outside: string;
beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-outside-')));
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

/** Temporary folders are not writable either. */
const confined = {
  sandbox_mode: 'workspace-write',
  sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true },
};
const add = (path: string, text = 'x') => patch(`*** Add File: ${path}\n+${text}`);
const made = (text: string, callId = 'p') => customCall('apply_patch', text, { callId });

describe('under never', () => {
  const config = { ...confined, approval_policy: 'never' };

  test('a patch in the folder is applied', async () => {
    const run = await runPatches([[made(add('a'))]], { config });
    expect(run.output('p')).toMatch(success('A a'));
    expect(run.workspace.read('a')).toBe('x\n');
  });

  test.each([
    ['the tool', (path: string) => made(patch(`*** Add File: in\n+1`, `*** Add File: ${path}\n+2`))],
    [
      'a command',
      (path: string) =>
        call(
          'exec_command',
          { cmd: `apply_patch <<'EOF'\n${patch(`*** Add File: in\n+1`, `*** Add File: ${path}\n+2`)}\nEOF` },
          { callId: 'p' },
        ),
    ],
  ])('a patch that leaves the folder is refused as a whole: %s', async (_, makeCall) => {
    const run = await runPatches([[makeCall(join(outside, 'out'))]], { config });
    expect(run.output('p')).toBe('patch rejected: writing outside of the project; rejected by user approval settings');
    expect(existsSync(run.workspace.file('in'))).toBe(false);
    expect(existsSync(join(outside, 'out'))).toBe(false);
    expect(run.shown).toMatchObject([{ type: 'item.completed', item: { id: 'p', status: 'declined' } }]);
    expect(run.diffs).toEqual([]);
    const ended = run.events.find((event) => event.type === 'call.ended');
    expect(ended).toMatchObject({ success: false, failure: 'permission' });
  });

  test('every patch in a read-only sandbox is refused', async () => {
    const run = await runPatches([[made(add('a'))]], { config: { ...config, sandbox_mode: 'read-only' } });
    expect(run.output('p')).toBe(
      'patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings',
    );
  });

  test('a link cannot lead outside', async () => {
    const link = call('exec_command', { cmd: `ln -s ${outside} link` });
    const run = await runPatches([[link], [made(add('link/out'))]], { config });
    expect(run.output('p')).toBe('patch rejected: writing outside of the project; rejected by user approval settings');
    expect(existsSync(join(outside, 'out'))).toBe(false);
  });
});

describe('under on-request', () => {
  const config = { ...confined, approval_policy: 'on-request' };
  const run = (answer: Answer | ((ask: Ask) => Answer), ...texts: string[]) =>
    runPatches(
      texts.map((text, index) => [made(text, `p${index + 1}`)]),
      { config, ask: (question) => (typeof answer === 'function' ? answer(question) : answer) },
    );

  test('the user is asked about a patch that leaves the folder, and sees what it does', async () => {
    const path = join(outside, 'out');
    const done = await run('approved', add(path));
    expect(done.asked).toMatchObject([
      {
        callId: 'p1',
        argv: [],
        cwd: done.workspace.path,
        sandboxed: false,
        reason: `The sandbox does not let it, and the patch writes to ${path}.`,
        action: { kind: 'patch', changes: [{ type: 'add', path, before: null, after: 'x\n' }] },
      },
    ]);
    expect(done.asked[0]?.scopes.map(({ effect }) => effect)).toEqual([
      `The patch is applied, this one time: it adds ${path}.`,
      `These files may be changed and deleted without asking, until the thread ends: ${path}.`,
    ]);
    expect(existsSync(path)).toBe(true);
    expect(done.output('p1')).toMatch(success(`A ${path}`));
  });

  test('a refusal changes nothing, and its message goes to the model', async () => {
    const path = join(outside, 'out');
    const done = await run({ type: 'decline', message: 'Not there.' }, add(path));
    expect(done.output('p1')).toBe('patch rejected by user: Not there.');
    expect(done.shown).toMatchObject([{ item: { status: 'declined' } }]);
    expect(existsSync(path)).toBe(false);
  });

  test('an approval for the thread covers further changes of the same files, not of others', async () => {
    const [one, two] = [join(outside, 'one'), join(outside, 'two')];
    const answer: Answer = { type: 'approve', scope: { type: 'thread' } };
    const done = await run(answer, add(one, '1'), patch(`*** Update File: ${one}\n-1\n+2`), add(two), add(one, '3'));
    expect(done.asked.map(({ callId }) => callId)).toEqual(['p1', 'p3']);
    expect(done.output('p4')).toMatch(success(`A ${one}`));
  });

  test('a change that git could not bring back needs a question', async () => {
    const done = await run('denied', add('a', '1'), patch('*** Delete File: a'), patch('*** Update File: a\n-1\n+2'));
    expect(done.asked).toMatchObject([{ callId: 'p2', sandboxed: true }]);
    expect(done.asked[0]?.reason).toContain('Git could not bring back');
    expect(done.workspace.read('a')).toBe('2\n');
  });

  test('an edited patch is judged again and applied instead, and the model gets a note', async () => {
    const done = await run(
      ({ action }) => {
        const { changes, ...rest } = action as PatchAction;
        const edited = changes.map((change) => ({ ...change, path: change.path.replace(/\/out$/, '/other') }));
        return changes.some(({ path }) => path.endsWith('/other'))
          ? 'approved'
          : { type: 'edit', action: { ...rest, changes: edited } };
      },
      add(join(outside, 'out'), 'x'.repeat(20_000)),
    );
    expect(done.asked).toHaveLength(2);
    expect(existsSync(join(outside, 'other'))).toBe(true);
    expect(done.output('p1')).toMatch(/^The user changed this call before it ran\./);
    expect(done.output('p1')).toContain('Success. Updated the following files:');
    // Whole files do not belong in the log.
    const asked = done.rollout().filter((line) => line.type === 'oxbow' && line.payload.kind === 'ask.opened');
    expect(JSON.stringify(asked[0]).length).toBeLessThan(6_000);
  });
});

test('under untrusted every patch needs a question, even inside a command', async () => {
  const config = { ...confined, approval_policy: 'untrusted' };
  const cmd = `apply_patch <<'EOF'\n${add('b')}\nEOF`;
  const run = await runPatches([[made(add('a'))], [call('exec_command', { cmd }, { callId: 'c' })]], {
    config,
    ask: () => 'approved',
  });
  expect(run.asked.map(({ action, sandboxed }) => [action.kind, sandboxed])).toEqual([
    ['patch', true],
    ['patch', true],
  ]);
  expect(run.workspace.read('a') + run.workspace.read('b')).toBe('x\nx\n');
});
