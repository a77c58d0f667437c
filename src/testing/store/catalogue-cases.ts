import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { LogLine, SessionMeta } from '../../base/log.ts';
import type { ThreadQuery } from '../../base/thread-store.ts';
import type { ConformanceChecks } from '../conformance-case.ts';
import {
  collect,
  metaLine,
  parseAll,
  payloadsOf,
  readPayloads,
  refused,
  type StoreScene,
  said,
  turn,
} from './scene.ts';

/** Promises about finding, describing and changing threads. */
export const catalogueCases: ConformanceChecks<StoreScene> = {
  async 'a thread is described'({ store, make }) {
    const timestamp = '2026-01-02T03:04:05.678Z';
    const id = await make(turn('a', '  fix\nthe   parser '), {
      timestamp,
      cwd: '/some/where',
      forked_from_id: 'other',
      oxbow_metadata: { user: 'ann' },
    });
    const { changedAt, bytes, label, path, ...thread } = await store.describe(id);
    deepStrictEqual(thread, {
      ...{ id, name: null, preview: 'fix the parser', cwd: '/some/where', startedAt: timestamp },
      ...{
        source: 'exec',
        provider: 'scripted',
        model: 'some-model',
        forkedFrom: 'other',
        metadata: { user: 'ann' },
        archived: false,
        note: null,
      },
    });
    ok(Math.abs(Date.parse(changedAt) - Date.now()) < 3_600_000, `changed just now: ${changedAt}`);
    ok(bytes > 100, `the length of its lines: ${bytes}`);
    ok(label.length > 0 && (path === null || path.length > 0), 'it has a place');
  },

  async 'lists have the newest thread first, and only those that are asked for'(scene) {
    const { store, make } = scene;
    const first = await make(turn('a', 'fix the Parser'));
    const second = await make(turn('b'), { cwd: '/else', oxbow_metadata: { user: 'ann', plan: 'free' } });
    const third = await make(turn('c'));
    const away = await make(turn('d'));
    await store.archive(away);
    await store.rename(second, 'parsed names');
    deepStrictEqual(await listed(scene), [third, second, first]);
    deepStrictEqual(await listed(scene, { limit: 2 }), [third, second]);
    deepStrictEqual(await listed(scene, { limit: 0 }), []);
    deepStrictEqual(await listed(scene, { cwd: '/work' }), [third, first]);
    deepStrictEqual(await listed(scene, { search: 'PARSE' }), [second, first]);
    deepStrictEqual(await listed(scene, { search: '/else' }), [second]);
    deepStrictEqual(await listed(scene, { search: third }), [third]);
    deepStrictEqual(await listed(scene, { metadata: {} }), [third, second, first]);
    deepStrictEqual(await listed(scene, { metadata: { user: 'ann' } }), [second]);
    deepStrictEqual(await listed(scene, { metadata: { user: 'ann', plan: 'paid' } }), []);
    deepStrictEqual(await listed(scene, { archived: true }), [away]);
    deepStrictEqual(await listed(scene, { changedSince: Date.now() + 3_600_000 }), []);
    deepStrictEqual(await listed(scene, { changedSince: Date.now() - 3_600_000 }), [third, second, first]);
    deepStrictEqual([...(await collect(store.ids()))].sort(), [first, second, third, away].sort());
  },

  async 'the last thread is the newest that is not archived'({ store, make }) {
    strictEqual(await store.last(null), null);
    const first = await make(turn('a'));
    const second = await make(turn('b'), { cwd: '/else' });
    await store.archive(await make(turn('c')));
    strictEqual(await store.last(null), second);
    strictEqual(await store.last('/work'), first);
    strictEqual(await store.last('/nowhere'), null);
  },

  async 'a thread is found by its id, the beginning of its id, and its name'({ store, other, make }) {
    const first = await make(turn('a'));
    const second = await make(turn('b'));
    await store.rename(second, 'the other');
    const found = { id: first, archived: false };
    deepStrictEqual(await store.find(first), found);
    deepStrictEqual(await store.find(first.slice(0, 14)), found);
    deepStrictEqual(await other.find('the other'), { id: second, archived: false });
    await refused(() => store.find(first.slice(0, 4)), 'the beginning of two ids');
    for (const reference of ['01a', 'the', '', 'x', `${first}0`]) await refused(() => store.find(reference), reference);
    await store.rename(first, 'the other');
    await refused(() => store.find('the other'), 'the name of two threads');
    await store.archive(first);
    deepStrictEqual(await store.find(first), { id: first, archived: true });
  },

  async 'a name takes the place of the one before'({ store, other, make }) {
    const id = await make(turn('a'));
    await store.rename(id, 'one');
    await other.rename(id, 'zwei 🎉');
    strictEqual((await store.describe(id)).name, 'zwei 🎉');
    await refused(() => store.find('one'), 'the old name');
    deepStrictEqual(await store.find('zwei 🎉'), { id, archived: false });
  },

  async 'a fork has the turns up to one, and the other thread stays as it is'({ store, other, begin, newId }) {
    const lines = [...turn('a'), ...turn('b'), ...turn('c')];
    const { id, log } = await begin(lines);
    const forks: readonly (readonly [number | string | null, readonly LogLine[]])[] = [
      [1, turn('a')],
      ['b', [...turn('a'), ...turn('b')]],
      [null, lines],
    ];
    for (const [at, wanted] of forks) {
      const fork = newId();
      await other.fork(id, at, forkMeta(fork, id));
      deepStrictEqual(await readPayloads(store, fork), payloadsOf(wanted));
      strictEqual((await store.describe(fork)).forkedFrom, id);
      strictEqual(await store.holder(fork), null);
      const taken = await store.take(fork);
      await parseAll(taken.lines);
      await taken.log.append([said('goes on')]);
      await taken.log.close();
      const ordinals = (await parseAll(store.read(fork))).map(({ ordinal }) => ordinal);
      deepStrictEqual(
        ordinals,
        ordinals.map((_, index) => index),
      );
    }
    for (const at of [0, 4, 'x']) await refused(() => store.fork(id, at, forkMeta(newId(), id)), `no turn ${at}`);
    await log.append([said('still mine')]);
    await log.close();
    deepStrictEqual(await readPayloads(store, id), payloadsOf([...lines, said('still mine')]));
  },

  async 'a fork begins without the input that waits in the other thread'({ store, make, newId }) {
    const content = [{ type: 'input_text', text: 'later' }] as const;
    const queued: LogLine = { type: 'oxbow', payload: { kind: 'input.queued', id: 'q', content } };
    const id = await make([...turn('a'), queued]);
    const fork = newId();
    await store.fork(id, null, forkMeta(fork, id));
    deepStrictEqual((await readPayloads(store, fork)).at(-1), { kind: 'input.removed', id: 'q' });
  },

  async 'an archived thread is put away until it is unarchived'(scene) {
    const { store, other, make } = scene;
    const id = await make(turn('a'));
    const { log } = await other.take(id);
    await refused(() => store.archive(id), 'while an owner has it');
    await log.close();
    await store.archive(id);
    await refused(() => store.archive(id), 'twice');
    await refused(() => store.take(id), 'taking an archived thread');
    strictEqual((await store.describe(id)).archived, true);
    deepStrictEqual(await readPayloads(store, id), payloadsOf(turn('a')));
    deepStrictEqual(await listed(scene), []);
    await other.unarchive(id);
    await refused(() => store.unarchive(id), 'twice');
    deepStrictEqual(await listed(scene), [id]);
    await (await store.take(id)).log.close();
  },

  async 'a deleted thread is gone with its name'(scene) {
    const { store, other, make } = scene;
    const id = await make(turn('a'));
    const kept = await make(turn('b'));
    await store.rename(id, 'the name');
    const { log } = await other.take(id);
    await refused(() => store.delete(id), 'while an owner has it');
    await log.close();
    await store.delete(id);
    for (const reference of [id, 'the name']) await refused(() => store.find(reference), reference);
    deepStrictEqual(await listed(scene), [kept]);
    await store.archive(kept);
    await store.delete(kept);
    deepStrictEqual(await collect(store.ids()), []);
  },

  async 'a thread that does not exist is refused by every method'({ store, newId }) {
    const id = newId();
    await refused(() => store.take(id), 'take');
    await refused(() => collect(store.read(id)), 'read');
    await refused(() => store.describe(id), 'describe');
    await refused(() => store.fork(id, null, forkMeta(newId(), id)), 'fork');
    await refused(() => store.rename(id, 'name'), 'rename');
    await refused(() => store.archive(id), 'archive');
    await refused(() => store.unarchive(id), 'unarchive');
    await refused(() => store.delete(id), 'delete');
    await refused(() => store.holder(id), 'holder');
  },
};

async function listed({ store }: StoreScene, query?: ThreadQuery): Promise<readonly string[]> {
  return (await collect(store.list(query))).map(({ id }) => id);
}

function forkMeta(id: string, of: string): SessionMeta {
  return metaLine(id, { forked_from_id: of }).payload as SessionMeta;
}
