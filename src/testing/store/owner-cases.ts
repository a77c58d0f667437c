import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { LostThread } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ConformanceChecks } from '../conformance-case.ts';
import { parseAll, payloadsOf, readPayloads, refused, type StoreScene, said, turn } from './scene.ts';

/** Promises about the owner of a thread. */
export const ownerCases: ConformanceChecks<StoreScene> = {
  async 'a thread belongs to its creator until its log is closed'({ store, other, begin }) {
    const { id, log } = await begin(turn('a'));
    await refused(() => store.take(id), 'take by the same owner');
    notStrictEqual(await store.holder(id), null);
    await log.close();
    strictEqual(await other.holder(id), null);
    await (await other.take(id)).log.close();
  },

  async 'a thread that an owner has taken is refused to others with the name of the owner'({ store, other, make }) {
    const id = await make(turn('a'));
    const { log } = await store.take(id);
    await refused(() => other.take(id), 'take by another owner');
    const holder = await other.holder(id);
    ok(holder && holder.label.length > 0, 'the holder has a name');
    await log.append([said('still mine')]);
    await log.close();
    strictEqual(await store.holder(id), null);
    await (await other.take(id)).log.close();
  },

  async 'an owner that lost its thread writes nothing more and is notified'({ store, other, expire, make }) {
    const id = await make(turn('a'));
    const { log: first, lines } = await store.take(id);
    await parseAll(lines);
    await first.append([said('of the first')]);
    await expire(id);
    const second = await other.take(id);
    const known = await parseAll(second.lines);
    deepStrictEqual(known.at(-1)?.payload, payloadsOf([said('of the first')])[0]);
    await lost(first);
    await second.log.append([said('of the second')]);
    await lost(first);
    await first.close();
    await refused(() => store.take(id), 'the second still has it');
    await second.log.append([said('and more')]);
    await second.log.close();
    const wanted = [...turn('a'), said('of the first'), said('of the second'), said('and more')];
    deepStrictEqual(await readPayloads(store, id), payloadsOf(wanted));
  },

  async 'a creator can lose its thread too, and take it again later'({ store, other, expire, begin }) {
    const { id, log } = await begin(turn('a'));
    await expire(id);
    const second = await other.take(id);
    await parseAll(second.lines);
    await lost(log);
    await log.close();
    await second.log.append([said('of the second')]);
    await second.log.close();
    const again = await store.take(id);
    await parseAll(again.lines);
    ok(!again.log.lost.aborted, 'a new log is not lost');
    await again.log.append([said('of the first')]);
    await again.log.close();
    deepStrictEqual(
      await readPayloads(store, id),
      payloadsOf([...turn('a'), said('of the second'), said('of the first')]),
    );
  },

  async 'reading takes nothing, and sees what was kept while another writes'({ other, begin }) {
    const { id, log } = await begin([said('0')]);
    for (let n = 1; n <= 20; n++) {
      const reading = readPayloads(other, id);
      const writing = log.append([said(String(n))]);
      const seen = await reading;
      ok(seen.length === n || seen.length === n + 1, `${seen.length} lines where ${n} had been kept`);
      await writing;
    }
    strictEqual((await readPayloads(other, id)).length, 21);
    await log.close();
  },
};

/** Fails unless a log refuses lines because another owner has the thread. */
async function lost(log: Log): Promise<void> {
  await rejects(log.append([said('too late')]), LostThread);
  ok(log.lost.aborted, 'the signal is aborted');
  ok(log.lost.reason instanceof LostThread, 'the reason is LostThread');
}
