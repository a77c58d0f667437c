import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../../../src/base/log.ts';
import { contentOf, fingerprint } from '../../../../src/exec/snapshot/test-snapshots.ts';
import { call, customCall, type Reply, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { patch } from '../../tools/patch/patch-scene.ts';
import { threads } from '../commands/scene.ts';

const enabled = { snapshots: { enabled: true }, approval_policy: 'never' };
const run = (command: string) => call('exec_command', { cmd: command });

const FILES = {
  '.gitignore': 'ignored/\n',
  'a.txt': 'one\ntwo\n',
  'src/deep/b.txt': 'b\n',
  'old name.txt': 'renamed\n',
  'tool.sh': '#!/bin/sh\n',
  'ignored/cache': 'before',
};

/** Creates, edits, deletes, changes modes, links, renames, writes binary; some at once. */
const SPOIL = [
  reply(
    run("printf '\\000\\377new' > made.bin && mkdir -p new/deep && echo x > new/deep/x"),
    run('echo three >> a.txt; chmod +x tool.sh; ln -s /etc link'),
  ),
  reply(
    customCall('apply_patch', patch('*** Add File: patched/c.txt\n+c', '*** Update File: a.txt\n one\n-two\n+zwei')),
  ),
  reply(run("mv 'old name.txt' renamed.txt; rm -r src; echo after > ignored/cache; echo more > ignored/more")),
  reply(say('done')),
];

const exec = (s: Scene, ...args: string[]) => runOxbow(['exec', ...args], { ...s, config: enabled });

const threadOf = (s: Scene) => {
  const [meta] = s.rollout();
  return meta?.type === 'session_meta' ? meta.payload.id : '';
};

const restore = (s: Scene, ...args: string[]) => threads(['restore', threadOf(s), ...args], s);

const own = (lines: readonly LogLine[]) => lines.flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []));
const snapshotsIn = (s: Scene) => own(s.rollout()).filter(({ kind }) => kind === 'snapshot');

function withoutIgnored(s: Scene): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contentOf(s.workspace.path)).filter(([path]) => !path.startsWith('ignored')),
  );
}

describe('a turn that changes files by commands and patches', () => {
  test('can be undone, file by file and mode by mode, and so can the undo', async () => {
    const s = await scene(SPOIL, FILES);
    const before = withoutIgnored(s);
    expect((await exec(s, 'spoil it')).code).toBe(0);
    const spoiled = withoutIgnored(s);
    expect(Object.keys(spoiled)).toEqual(expect.arrayContaining(['made.bin', 'patched/c.txt', 'renamed.txt', 'link']));

    const result = await restore(s, '--turn', '1', '--yes');
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    expect(withoutIgnored(s)).toEqual(before);
    expect(s.workspace.read('ignored/cache')).toBe('after\n');
    expect(s.workspace.read('ignored/more')).toBe('more\n');

    const [, name] = /--tree (\S+)/.exec(result.stdout) ?? [];
    expect((await restore(s, '--tree', name ?? '', '--yes')).code).toBe(0);
    expect(withoutIgnored(s)).toEqual(spoiled);
  });

  test('has one snapshot, recorded before the first of these calls begins', async () => {
    const s = await scene(SPOIL, FILES);
    await exec(s, 'spoil it');
    const kinds = own(s.rollout()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'snapshot')).toHaveLength(1);
    expect(kinds.indexOf('snapshot')).toBeLessThan(kinds.indexOf('call.started'));
  });

  test('leaves .git alone, both for the snapshot and for the restore', async () => {
    const s = await scene(SPOIL, FILES);
    const git = join(s.workspace.path, '.git');
    execFileSync('git', ['add', '.'], { cwd: s.workspace.path });
    const before = fingerprint(git);
    await exec(s, 'spoil it');
    await restore(s, '--turn', '1', '--yes');
    expect(fingerprint(git)).toEqual(before);
  });
});

describe('oxbow threads restore', () => {
  const two = (): Reply[] => [
    reply(run('echo 1 > turn.txt')),
    reply(say('one')),
    reply(say('nothing to do')),
    reply(run('echo 3 > turn.txt; touch extra')),
    reply(say('three')),
  ];

  async function threeTurns(): Promise<Scene> {
    const s = await scene(two(), { 'turn.txt': '0\n' });
    await exec(s, 'first');
    for (const task of ['second', 'third']) await exec(s, 'resume', '--last', task);
    return s;
  }

  test('restores the state before each turn, even one that changed nothing', async () => {
    const s = await threeTurns();
    for (const [turn, text] of [
      ['3', '1\n'],
      ['1', '0\n'],
      ['2', '1\n'],
    ] as const) {
      expect((await restore(s, '--turn', turn, '--yes')).code).toBe(0);
      expect(s.workspace.read('turn.txt')).toBe(text);
      expect(existsSync(s.workspace.file('extra'))).toBe(false);
    }
    const again = await restore(s, '--turn', '2', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: 'There is nothing to restore: the workspace has not changed.\n' });
  });

  test('a dry run lists the changes, as text and as JSON, and makes none', async () => {
    const s = await threeTurns();
    const before = fingerprint(s.workspace.path);
    const text = await restore(s, '--turn', '3', '--dry-run');
    expect(text).toMatchObject({
      code: 0,
      stdout: `In ${s.workspace.path}:\n  delete       extra\n  write back   turn.txt\n`,
    });
    const json = await restore(s, '--turn', '1', '--dry-run', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      dryRun: true,
      tree: expect.stringMatching(/^[0-9a-f]{16}-[0-9a-f]{40}$/),
      workspace: s.workspace.path,
      changes: [
        { path: 'extra', action: 'delete', failure: null },
        { path: 'turn.txt', action: 'update', failure: null },
      ],
      left: [],
      undo: null,
    });
    expect(fingerprint(s.workspace.path)).toEqual(before);
  });

  test('failures are named, and everything else is restored', async () => {
    const s = await threeTurns();
    // Without its bytes one of the files cannot be restored.
    const objects = join(s.workspace.home, 'snapshots');
    execFileSync('sh', ['-c', `find '${objects}' -path '*objects*' -type f | xargs grep -lx 0 | xargs rm`]);
    const result = await restore(s, '--turn', '1', '--yes');
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(
      /restored in part: 1 of 2 changes\. These failed:\n {2}write back {2}turn\.txt: .*missing/,
    );
    expect(existsSync(s.workspace.file('extra'))).toBe(false);
    expect(s.workspace.read('turn.txt')).toBe('3\n');
  });

  test('wrong input gets one sentence', async () => {
    const s = await threeTurns();
    const answer = async (...args: string[]) => {
      const { code, stderr } = await restore(s, ...args);
      return `${code} ${stderr}`;
    };
    expect(await answer('--turn', '1')).toMatch(/^2 .*Pass --yes/);
    expect(await answer('--yes')).toMatch(/^2 .*either --turn or --tree/);
    expect(await answer('--turn', '1', '--tree', 'x')).toMatch(/^2 .*either --turn or --tree/);
    expect(await answer('--turn', 'x', '--yes')).toMatch(/^2 .*whole number/);
    expect(await answer('--turn', '9', '--yes')).toMatch(/^1 .*no turn 9\. Turns with a snapshot: 1, 3\./);
    expect(await answer('--tree', 'x', '--yes')).toMatch(/^1 .*not the name of a snapshot/);
    expect((await restore(s, '--help')).stdout).toContain('oxbow threads restore 01a1dfaa-5614 --turn 3 --dry-run');
  });
});

test('without the setting nothing is kept', async () => {
  const s = await scene(SPOIL, FILES);
  await runOxbow(['exec', 'spoil it'], { ...s });
  expect(existsSync(join(s.workspace.home, 'snapshots'))).toBe(false);
  const { code, stderr } = await restore(s, '--turn', '1', '--yes');
  expect(code).toBe(1);
  expect(stderr).toContain('[snapshots] enabled = true');
});

test('a turn that changes nothing keeps nothing', async () => {
  const s = await scene([reply(run('ls')), reply(say('done'))], FILES);
  await exec(s, 'look');
  expect(snapshotsIn(s)).toEqual([]);
});

test('a workspace that is too large is reported once in a thread, and the turns go on', async () => {
  const s = await libraryScene([reply(run('touch x')), reply(say('one')), reply(run('touch y')), reply(say('two'))], {
    ...enabled,
    snapshots: { enabled: true, max_files: 2 },
  });
  for (const name of ['a', 'b', 'c']) s.workspace.write(name, name);
  const thread = await s.agent.startThread(s.threadOptions());
  for (const task of ['first', 'second']) expect((await thread.run(task)).status).toBe('completed');
  await thread.close();
  const warnings = s.events.filter((event) => event.type === 'warning');
  expect(warnings.map((event) => event.message)).toEqual([
    'The workspace was not kept: it has more than 2 files (snapshots.max_files). What this turn changes cannot be restored.',
  ]);
  expect(snapshotsIn(s)).toHaveLength(2);
  expect(snapshotsIn(s)[0]).toMatchObject({ tree: null, reason: 'it has more than 2 files (snapshots.max_files)' });
  expect(existsSync(s.workspace.file('y'))).toBe(true);
  await expect(s.agent.restore(thread.id, { turn: 1 })).rejects.toThrow(
    /^The workspace was not kept before turn 1: it has more than 2 files/,
  );
});

test('the library restores too', async () => {
  const s = await libraryScene([reply(run('echo 1 > a')), reply(say('one'))], enabled);
  s.workspace.write('a', '0\n');
  const thread = await s.agent.startThread();
  await thread.run('change it');
  await thread.close();
  const plan = await s.agent.restore(thread.id, { turn: 1, dryRun: true });
  expect(plan.changes).toEqual([{ path: 'a', action: 'update', failure: null }]);
  expect(s.workspace.read('a')).toBe('1\n');
  const done = await s.agent.restore(thread.id, { turn: 1 });
  expect(s.workspace.read('a')).toBe('0\n');
  await s.agent.restore(thread.id, { tree: done.undo ?? '' });
  expect(s.workspace.read('a')).toBe('1\n');
});

test('two processes that snapshot one workspace at once disturb neither each other nor the snapshot', async () => {
  const s = await scene((request) => (hasOutput(request.body.input) ? reply(say('done')) : reply(run('true > made'))));
  for (let n = 0; n < 300; n++) writeFileSync(s.workspace.file(`f${n}`), `${n}\n`);
  const results = await Promise.all([1, 2, 3].map((n) => exec(s, `go ${n}`)));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(results.map(({ stderr }) => stderr).join()).not.toContain('was not kept');
  const kept = readFileSync(join(s.workspace.home, 'snapshots', onlyKey(s), 'kept.jsonl'), 'utf8');
  const [first] = kept.trimEnd().split('\n');
  expect(kept.trimEnd().split('\n')).toHaveLength(3);
  execFileSync('sh', ['-c', 'rm f*'], { cwd: s.workspace.path });
  const { id, thread } = JSON.parse(first ?? '') as { id: string; thread: string };
  const tree = `${onlyKey(s)}-${id}`;
  const done = await threads(['restore', thread, '--tree', tree, '--yes'], s);
  expect(done.code).toBe(0);
  expect(readFileSync(s.workspace.file('f299'), 'utf8')).toBe('299\n');
});

test.skipIf(process.platform !== 'linux')(
  'in the sandbox, commands cannot reach the snapshots of their workspace',
  async () => {
    const config = {
      ...enabled,
      sandbox_mode: 'workspace-write',
      sandbox_workspace_write: { exclude_slash_tmp: true },
    };
    const s = await scene([reply(run('mv "$HOME/snapshots" "$HOME/gone"; rm a.txt')), reply(say('done'))], FILES);
    await runOxbow(['exec', 'delete it'], { ...s, config });
    expect(existsSync(s.workspace.file('a.txt'))).toBe(false);
    expect((await restore(s, '--turn', '1', '--yes')).code).toBe(0);
    expect(s.workspace.read('a.txt')).toBe('one\ntwo\n');
  },
);

function hasOutput(input: unknown): boolean {
  return Array.isArray(input) && input.some((item) => item.type === 'function_call_output');
}

function onlyKey(s: Scene): string {
  const [key] = execFileSync('ls', [join(s.workspace.home, 'snapshots')], { encoding: 'utf8' }).split('\n');
  return key ?? '';
}
