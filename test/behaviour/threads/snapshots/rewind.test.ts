import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contentOf } from '../../../../src/exec/snapshot/test-snapshots.ts';
import { type AgentOptions, type ThreadItem, UserError } from '../../../../src/index.ts';
import { call, gate, type Reply, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';

const enabled = { snapshots: { enabled: true }, approval_policy: 'never', sandbox_mode: 'workspace-write' };
const run = (command: string) => call('exec_command', { cmd: command });

/** A turn that changes, makes and deletes files by a command, and one that changes them again. */
const SPOIL: readonly Reply[] = [
  reply(run('printf "one\\nzwei\\ndrei\\n" > a.txt; mkdir -p new; echo n > new/n.txt; rm b.txt')),
  reply(say('spoiled')),
  reply(run('echo more >> a.txt')),
  reply(say('more')),
];

/** Returns the files of a workspace without the empty folders that the sandbox makes in order to guard them. */
function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(Object.entries(contentOf(folder)).filter(([path]) => !/^\.\w+\/$/.test(path)));
}

async function spoiledScene(
  more: readonly Reply[] = [],
  { repository = true, config = enabled, ...options }: AgentOptions & { repository?: boolean; config?: object } = {},
) {
  const s = await libraryScene([reply(say('hello')), ...SPOIL, ...more], { ...config }, options);
  if (repository) execFileSync('git', ['init', '-q'], { cwd: s.workspace.path });
  writeFileSync(`${s.workspace.path}/a.txt`, 'one\ntwo\n');
  writeFileSync(`${s.workspace.path}/b.txt`, 'b\n');
  const before = filesIn(s.workspace.path);
  const thread = await s.agent.startThread(s.threadOptions());
  for (const input of ['greet', 'spoil it', 'spoil more']) await thread.run(input);
  return { ...s, thread, before, spoiled: filesIn(s.workspace.path), files: () => filesIn(s.workspace.path) };
}

const lastInput = (s: {
  readonly model: { readonly requests: readonly { readonly body: { readonly input?: unknown } }[] };
}) => JSON.stringify(s.model.requests.at(-1)?.body.input);

const texts = (items: readonly ThreadItem[]) => items.flatMap((item) => ('text' in item ? [item.text] : []));

describe.each([true, false])('in a workspace that is a repository: %s', (repository) => {
  test('talk and files go back together, and both can be brought back', async () => {
    const s = await spoiledScene([reply(say('again')), reply(say('forked'))], { repository });
    const { thread } = s;
    const report = await thread.rewind({ turns: 2, what: 'both' });
    expect(s.files()).toEqual(s.before);
    expect(report).toMatchObject({ inputs: 2, files: { dryRun: false }, undoTree: expect.any(String) });
    expect(report.files?.changes.map(({ path, action, failure }) => [path, action, failure])).toEqual([
      ['a.txt', 'update', null],
      ['b.txt', 'create', null],
      ['new/n.txt', 'delete', null],
    ]);
    await thread.run('go on');
    expect(lastInput(s)).toContain('greet');
    expect(lastInput(s)).not.toMatch(/spoil|rewind_notification/);
    expect((await thread.history()).turns.map(({ input }) => input)).toEqual(['greet', 'go on']);

    const fork = await s.agent.forkThread(thread.id, { at: report.undoTurn ?? '' });
    await s.agent.restore(thread.id, { tree: report.undoTree ?? '' });
    expect(s.files()).toEqual(s.spoiled);
    await fork.run('and on');
    expect(lastInput(s)).toMatch(/spoil it.*spoil more.*and on/);
    expect(lastInput(s)).not.toContain('go on');
    await fork.close();
    await thread.close();
  });

  test('a preview names the files with their lines, and changes nothing', async () => {
    const s = await spoiledScene([], { repository });
    const points = await s.thread.rewindPoints();
    expect(
      points.map(({ input, changedFiles, talkFault, filesFault }) => [input, changedFiles, talkFault, filesFault]),
    ).toEqual([
      ['spoil more', 1, null, null],
      ['spoil it', 3, null, null],
      ['greet', 3, null, null],
    ]);
    expect(points.every(({ startedAt }) => startedAt !== null)).toBe(true);
    expect(await s.thread.rewindPoints({ limit: 1 })).toHaveLength(1);
    const preview = await s.thread.previewRewind({ to: points[1]?.turn ?? '' });
    expect(preview).toMatchObject({ input: 'spoil it', inputs: 2, changedFiles: 3, left: [] });
    expect(preview.changes).toEqual([
      { path: 'a.txt', action: 'update', added: 1, removed: 3 },
      { path: 'b.txt', action: 'create', added: 1, removed: 0 },
      { path: 'new/n.txt', action: 'delete', added: 0, removed: 1 },
    ]);
    expect(s.files()).toEqual(s.spoiled);
    await s.thread.close();
  });
});

test('a turn whose calls did not run changed nothing', async () => {
  const s = await libraryScene(
    [reply(call('no_such_tool', {})), reply(say('no')), reply(run('echo more >> a.txt')), reply(say('yes'))],
    enabled,
  );
  const thread = await s.agent.startThread(s.threadOptions());
  for (const input of ['try', 'change it']) await thread.run(input);
  expect((await thread.rewindPoints()).map(({ input, changedFiles }) => [input, changedFiles])).toEqual([
    ['change it', 1],
    ['try', 1],
  ]);
  await thread.close();
});

test('the model is told if only the files go back', async () => {
  const s = await spoiledScene([reply(say('I see'))]);
  const report = await s.thread.rewind({ turns: 2, what: 'files' });
  expect(s.files()).toEqual(s.before);
  expect(report).toMatchObject({ inputs: 0, undoTurn: null });
  await s.thread.close();
  const again = await s.agent.resumeThread(s.thread.id, s.threadOptions());
  await again.run('go on');
  expect(lastInput(s)).toMatch(/spoil it.*spoil more.*<rewind_notification>.*began with \\"spoil it.*- a\.txt.*go on/);
  const { turns } = await again.history();
  expect(texts(turns.flatMap(({ items }) => items))).not.toContainEqual(expect.stringContaining('rewind_notification'));
  expect(turns.map(({ input }) => input)).toEqual(['greet', 'spoil it', 'spoil more', 'go on']);
  await again.close();
});

test('only the talk goes back, and the files stay', async () => {
  const s = await spoiledScene([reply(say('again'))]);
  const [, point] = await s.thread.rewindPoints();
  expect(await s.thread.rewind({ to: point?.turn ?? '', what: 'talk' })).toMatchObject({
    ...{ turn: point?.turn, inputs: 2, files: null, undoTree: null },
  });
  expect(s.files()).toEqual(s.spoiled);
  // The files can still go back: the turns that changed them are in the log.
  expect((await s.thread.previewRewind({ turns: 1 })).changes).toHaveLength(3);
  await s.thread.run('go on');
  expect(lastInput(s)).not.toContain('spoil');
  await s.thread.close();
});

test('input that came while a turn ran goes back with its turn', async () => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const s = await libraryScene(
    [reply(say('one')), reply(gate(held), say('two')), reply(say('three')), reply(say('four'))],
    enabled,
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('first');
  const running = thread.run('second');
  await s.model.waitForRequest(2);
  await expect(thread.rewind({ turns: 1, what: 'talk' })).rejects.toThrow('still running');
  await thread.steer('and this');
  go();
  await running;
  expect(await thread.rewind({ turns: 1, what: 'both' })).toMatchObject({ inputs: 2, undoTree: null });
  expect((await thread.history()).turns.map(({ input }) => input)).toEqual(['first']);
  await thread.run('third');
  expect(lastInput(s)).not.toMatch(/second|and this/);
  await thread.close();
});

describe('a rewind that is not possible', () => {
  test('says that no snapshot was kept, and changes nothing', async () => {
    const s = await spoiledScene([], { config: { approval_policy: 'never', sandbox_mode: 'workspace-write' } });
    for (const what of ['files', 'both'] as const) {
      const rewind = s.thread.rewind({ turns: 2, what });
      await expect(rewind).rejects.toThrow(/the workspace was not kept before its changes\. Snapshots are off/);
      await expect(rewind).rejects.toBeInstanceOf(UserError);
    }
    expect((await s.thread.rewindPoints()).map(({ changedFiles, filesFault }) => [changedFiles, filesFault])).toEqual(
      [1, 2, 3].map(() => [null, expect.stringContaining('was not kept')]),
    );
    expect(s.files()).toEqual(s.spoiled);
    expect(s.thread.state.turns).toBe(3);
    await s.thread.close();
  });

  test('says what is wrong with its target', async () => {
    const s = await spoiledScene();
    const { thread } = s;
    await expect(thread.rewind({ turns: 4, what: 'talk' })).rejects.toThrow('cannot go back 4 turns: it has 3');
    await expect(thread.rewind({ to: 'nowhere', what: 'talk' })).rejects.toThrow('no turn "nowhere"');
    await expect(thread.rewind({ what: 'talk' } as never)).rejects.toThrow('Name the turn to go back to');
    await expect(thread.rewind({ turns: 0, what: 'talk' })).rejects.toThrow('Name the turn to go back to');
    await expect(thread.rewind({ turns: 1 } as never)).rejects.toThrow('Say what to take back');
    await expect(thread.rewind({ turns: 1, what: 'talk', all: true } as never)).rejects.toThrow('no option "all"');
    await thread.close();
    await expect(thread.rewind({ turns: 1, what: 'talk' })).rejects.toMatchObject({ code: 'closed' });
    const ephemeral = await s.agent.startThread({ ephemeral: true });
    await expect(ephemeral.rewind({ turns: 1, what: 'talk' })).rejects.toThrow('An ephemeral thread cannot be rewound');
    await ephemeral.close();
  });

  test('says that a summary has replaced the turn', async () => {
    const s = await spoiledScene([reply(say('the summary')), reply(say('after'))]);
    await s.thread.compact();
    await s.thread.run('go on');
    const points = await s.thread.rewindPoints();
    expect(points.map(({ input, talkFault }) => [input, talkFault === null])).toEqual([
      ['go on', true],
      ['spoil more', false],
      ['spoil it', false],
      ['greet', false],
    ]);
    await expect(s.thread.rewind({ turns: 2, what: 'both' })).rejects.toThrow('a summary has replaced it since');
    expect(s.files()).toEqual(s.spoiled);
    await s.thread.rewind({ turns: 3, what: 'files' });
    expect(s.files()).toEqual(s.before);
    await s.thread.close();
  });
});

test('a snapshot in the background is there before the turn changes anything, and leaves no line if it does not', async () => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const s = await libraryScene([reply(gate(held), say('nothing')), ...SPOIL.slice(0, 2)], {
    ...enabled,
    snapshots: { enabled: false },
  });
  writeFileSync(`${s.workspace.path}/a.txt`, 'one\ntwo\n');
  writeFileSync(`${s.workspace.path}/b.txt`, 'b\n');
  const before = filesIn(s.workspace.path);
  const thread = await s.agent.startThread(s.threadOptions({ snapshots: 'background' }));
  const first = thread.run('do nothing');
  const kept = () => Object.keys(contentOf(s.workspace.home)).filter((path) => /^snapshots\/.*kept/.test(path));
  await expect.poll(kept, { timeout: 20_000 }).not.toEqual([]);
  go();
  await first;
  await thread.run('spoil it');
  const lines = s.rollout().filter((line) => line.type === 'oxbow' && line.payload.kind === 'snapshot');
  expect(lines).toHaveLength(1);
  await thread.rewind({ turns: 2, what: 'files' });
  expect(filesIn(s.workspace.path)).toEqual(before);
  await thread.close();
  await expect(s.agent.startThread({ snapshots: 'always' } as never)).rejects.toThrow(
    'The option "snapshots" of startThread must be "background", "on-change" or "off".',
  );
});

test('an open thread is forked at any of its turns, also while it runs', async () => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const s = await libraryScene([
    reply(say('one')),
    reply(say('two')),
    reply(gate(held), say('three')),
    reply(say('four')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('first');
  await thread.run('second');
  const [, first] = await thread.rewindPoints();
  const running = thread.run('third');
  await s.model.waitForRequest(3);
  const fork = await s.agent.forkThread(thread.id, { at: first?.turn ?? '' });
  expect((await thread.history()).turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'running']);
  await fork.run('other');
  expect(lastInput(s)).toMatch(/first.*other/);
  expect(lastInput(s)).not.toMatch(/second|third/);
  go();
  expect((await running).finalResponse).toBe('three');
  expect((await fork.history()).turns.map(({ input }) => input)).toEqual(['first', 'other']);
  await fork.close();
  await thread.close();
});
