import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createMemoryStore, type LogLine } from '../../../src/store/index.ts';
import { call, customCall, reply, say, storeConformance } from '../../../src/testing/index.ts';
import { eventfulThread } from '../../behaviour/threads/replay/scene.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { mapStore, type Rows } from './map-store.ts';

describe('a store backed by a map', () => {
  const make = () => {
    const rows: Rows = new Map();
    return {
      open: () => mapStore(rows),
      expire(id: string) {
        const row = rows.get(id);
        if (row) row.leased = false;
      },
    };
  };
  for (const { name, run } of storeConformance(make)) test(name, run);
});

test('an eventful thread is reproduced from a store whose writes are not awaited', async () => {
  const groups: string[][] = [];
  // A line that nothing depends on is written together with the next ones.
  const store = mapStore(new Map(), (lines) => groups.push(lines.map(kindOf).filter((kind) => kind !== 'item')));
  const { scene: s, id } = await eventfulThread({ store });
  expect(await s.agent.replay(id)).toMatchObject({
    reproduced: true,
    turns: { replayed: 5, folded: 0 },
    divergence: null,
  });
  const together = groups.filter(({ length }) => length > 1).map((kinds) => kinds.join(' '));
  expect(new Set(together)).toEqual(
    new Set([
      'task_started prefix.changed turn_context',
      'task_started turn_context',
      'response_item response_item',
      'response_item user_message',
      'checkpoint compacted prefix.changed',
      'response_item turn_aborted',
    ]),
  );
});

function kindOf(line: LogLine): string {
  if (line.type === 'oxbow') return line.payload.kind;
  return line.type === 'event_msg' ? line.payload.type : line.type;
}

const run = (cmd: string) => call('exec_command', { cmd });

for (const [name, makeStore] of Object.entries({
  'a store of its own': () => mapStore(new Map()),
  'a store in memory': () => createMemoryStore({ keepAll: true }),
})) {
  test(`an agent does everything on ${name}, and leaves nothing in its home`, async () => {
    const patch = '*** Begin Patch\n*** Add File: added\n+x\n*** End Patch\n';
    const store = makeStore();
    const s = await libraryScene(
      [
        ...[reply(say('Two.'), run('echo a >> effects'), run('echo b >> effects; exit 3')), reply(say('one'))],
        ...[reply(customCall('apply_patch', patch), run('cat added')), reply(say('two'))],
        ...[reply(say('three')), reply(say('the summary')), reply(say('four')), reply(say('forked'))],
      ],
      {},
      { store },
    );
    const first = await s.agent.startThread(s.threadOptions());
    expect(first.path).toBeNull();
    expect((await first.run('first')).finalResponse).toBe('one');
    expect((await first.run('second')).finalResponse).toBe('two');
    await expect(s.agent.resumeThread(first.id)).rejects.toThrow(/another owner|already/);
    await first.close();
    expect(s.workspace.read('effects').split('\n').sort()).toEqual(['', 'a', 'b']);

    const second = await s.agent.resumeThread({ prefix: first.id.slice(0, -3) }, s.threadOptions());
    await second.steer('by the way');
    expect((await second.run('third')).finalResponse).toBe('three');
    expect((await second.compact()).status).toBe('completed');
    expect((await second.run('fourth')).finalResponse).toBe('four');
    await second.close();

    await s.agent.threads.rename(first.id, 'the first');
    const fork = await s.agent.forkThread({ name: 'the first' }, { at: 2 });
    expect((await fork.run('another way')).finalResponse).toBe('forked');
    await fork.close();
    const sent = JSON.stringify(s.model.requests.at(-1)?.body);
    expect(sent).toContain('second');
    expect(sent).not.toContain('third');

    const shown = await s.agent.threads.show({ name: 'the first' });
    expect(shown.turns.map(({ number, status, input }) => [number, status, input])).toEqual([
      [1, 'completed', 'first'],
      [2, 'completed', 'second'],
      [3, 'completed', 'by the way'],
      [4, 'completed', null],
      [5, 'completed', 'fourth'],
    ]);
    expect(await s.agent.usage({ name: 'the first' })).toMatchObject({ name: 'the first', total: { requests: 7 } });
    expect(await s.agent.usage(fork.id)).toMatchObject({ total: { requests: 1 } });
    const listed: string[] = [];
    for await (const { id, forkedFrom } of s.agent.threads.list()) listed.push(`${id} ${forkedFrom}`);
    expect(listed).toEqual([`${fork.id} ${first.id}`, `${first.id} null`]);
    expect(await s.agent.lastThread()).toBe(fork.id);
    for (const id of [first.id, fork.id]) {
      expect(await s.agent.replay(id)).toMatchObject({ path: null, reproduced: true, notices: [] });
    }
    expect(s.model.unexpected).toEqual([]);
    expect(readdirSync(s.workspace.home).filter((name) => /session|lock/.test(name))).toEqual([]);
  });
}
