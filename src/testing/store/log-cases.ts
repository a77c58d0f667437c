import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { LogLine } from '../../base/log.ts';
import type { PlacedLine } from '../../base/thread-store.ts';
import type { ConformanceChecks } from '../conformance-case.ts';
import {
  collect,
  context,
  metaLine,
  parseAll,
  payloadsOf,
  readPayloads,
  refused,
  type StoreScene,
  said,
  turn,
} from './scene.ts';

/** Promises of `Log`, and about taking a thread. */
export const logCases: ConformanceChecks<StoreScene> = {
  async 'a thread is not there before its first line'({ store, newId }) {
    const id = newId();
    const log = store.create(id);
    await refused(() => store.find(id), 'find');
    await log.append([]);
    await refused(() => store.find(id), 'find after an empty append');
    await log.append([metaLine(id)]);
    deepStrictEqual(await store.find(id), { id, archived: false });
    await log.close();
  },

  async 'lines are read back as they were appended, with times, ordinals and numbers'({ store, begin }) {
    const lines = turn('a');
    const { id, log } = await begin(lines.slice(0, 2));
    for (const line of lines.slice(2)) await log.append([line]);
    await log.close();
    const read = await parseAll(store.read(id));
    deepStrictEqual(
      read.slice(1).map(({ type, payload }) => ({ type, payload })),
      lines.map(({ type, payload }) => ({ type, payload })),
    );
    deepStrictEqual(
      read.map(({ number }) => number),
      read.map((_, index) => index + 1),
    );
    deepStrictEqual(
      read.map(({ ordinal }) => ordinal),
      read.map((_, index) => index),
    );
    for (const { timestamp } of read) ok(/^\d{4}-\d\d-\d\dT.*Z$/.test(timestamp), `a time as ISO text: ${timestamp}`);
  },

  async 'texts of any kind are read back'({ store, make }) {
    const texts = [
      '',
      'äöü 漢字 🎉',
      'a\u2028b\u2029c',
      'tab\tfeed\r\nnull\u0000',
      '"quoted" \\ \u001b[31m',
      '\ud800 alone',
    ];
    const lines = [...texts, 'x'.repeat(3_000_000)].map((text) => said(text));
    const id = await make(lines);
    deepStrictEqual(await readPayloads(store, id), payloadsOf(lines));
  },

  async 'a group with a line that cannot be kept is not kept at all'({ store, begin }) {
    const { id, log } = await begin([said('before')]);
    const wrong = { type: 'oxbow', payload: { kind: 'call.started', call_id: 1n } } as unknown as LogLine;
    await rejects(log.append([said('half'), wrong, said('a group')]));
    deepStrictEqual(await readPayloads(store, id), payloadsOf([said('before')]));
    await log.append([said('after')]);
    await log.close();
    deepStrictEqual(await readPayloads(store, id), payloadsOf([said('before'), said('after')]));
  },

  async 'a reader never sees a part of a group'({ store, begin }) {
    const { id, log } = await begin();
    let done = false;
    const writing = (async () => {
      for (let n = 0; n < 50; n++) await log.append([said(`${n} a`), said(`${n} b`), said(`${n} c`)]);
      done = true;
    })();
    do {
      strictEqual((await readPayloads(store, id)).length % 3, 0, 'lines of whole groups');
      // A store may read synchronously and need the event loop to write.
      await new Promise((resolve) => setImmediate(resolve));
    } while (!done);
    await writing;
    await log.close();
  },

  async 'appends that overlap are kept and settle in the order of the calls'({ store, begin }) {
    const { id, log } = await begin();
    const groups = Array.from({ length: 40 }, (_, n) =>
      Array.from({ length: 1 + (n % 3) }, (_, m) => said(`${n} ${m}`)),
    );
    const settled: number[] = [];
    await Promise.all(groups.map((group, n) => log.append(group).then(() => settled.push(n))));
    await log.close();
    deepStrictEqual(
      settled,
      groups.map((_, n) => n),
    );
    deepStrictEqual(await readPayloads(store, id), payloadsOf(groups.flat()));
  },

  async 'appends that are under way are kept before the log is closed'({ store, other, begin }) {
    const { id, log } = await begin();
    const last = log.append([said('last')]);
    await log.close();
    deepStrictEqual(await readPayloads(other, id), payloadsOf([said('last')]));
    await last;
    await (await store.take(id)).log.close();
  },

  async 'a log can be used after a rest'({ store, begin }) {
    const { id, log } = await begin([said('one')]);
    log.rest();
    await log.append([said('two')]);
    log.rest();
    log.rest();
    await log.close();
    deepStrictEqual(await readPayloads(store, id), payloadsOf([said('one'), said('two')]));
  },

  async 'a taken thread continues after its lines'({ store, other, make }) {
    const id = await make(turn('a'));
    const { log, lines } = await other.take(id);
    deepStrictEqual(
      (await parseAll(lines)).slice(1).map(({ payload }) => payload),
      payloadsOf(turn('a')),
    );
    await log.append(turn('b'));
    await log.close();
    const read = await parseAll(store.read(id));
    deepStrictEqual(
      read.slice(1).map(({ payload }) => payload),
      payloadsOf([...turn('a'), ...turn('b')]),
    );
    deepStrictEqual(
      read.map(({ ordinal }) => ordinal),
      read.map((_, index) => index),
    );
  },

  async 'the lines of a taken thread have all that its state needs'({ store, make }) {
    const begun = turn('b').slice(0, 2);
    const after = [...turn('b').slice(2), ...turn('c')];
    const id = await make([...turn('a'), context('x'), ...begun, ...compaction(), ...after]);
    const all = await parseAll(store.read(id));
    const { log, lines } = await store.take(id);
    const taken = await parseAll(lines);
    await log.close();
    const texts = taken.map(({ payload }) => JSON.stringify(payload));
    const allTexts = all.map(({ payload }) => JSON.stringify(payload));
    deepStrictEqual(texts[0], allTexts[0], 'the first line');
    const base = all.findIndex(({ payload }) => (payload as { kind?: unknown }).kind === 'checkpoint');
    deepStrictEqual(
      texts.slice(texts.length - (all.length - base)),
      allTexts.slice(base),
      'all from the checkpoint on',
    );
    ok(texts.includes(JSON.stringify(context('b').payload)), 'the last context of a turn before it');
    let from = 0;
    for (const text of texts) {
      const place = allTexts.indexOf(text, from);
      ok(place >= 0, 'no other lines, and these in their order');
      from = place + 1;
    }
  },

  async 'lines that are read from the end are the same, and a cursor stays where it is'({ store, make }) {
    const id = await make([...turn('a'), ...turn('b')]);
    if (!store.readBack) return;
    const all = await parseAll(store.read(id));
    const back = await collect(store.readBack(id));
    const parsed = (lines: readonly PlacedLine[]) =>
      lines.map(({ bytes }) => (JSON.parse(bytes.toString('utf8')) as { payload: unknown }).payload);
    deepStrictEqual(
      parsed(back).toReversed(),
      all.map(({ payload }) => payload),
    );
    const { log, lines } = await store.take(id);
    await parseAll(lines);
    await log.append(turn('c'));
    for (const at of [0, 4, back.length - 1]) {
      const before: readonly PlacedLine[] = await collect(store.readBack(id, back[at]?.cursor));
      deepStrictEqual(parsed(before), parsed(back.slice(at + 1)), `before line ${at} from the end`);
    }
    await log.close();
    const { readBack } = store;
    await refused(() => collect(readBack(id, 'nowhere')), 'a cursor that the store did not make');
  },

  async 'ten thousand lines are kept in order'({ store, begin }) {
    const { id, log } = await begin();
    const texts = Array.from({ length: 10_000 }, (_, n) => `line ${n}`);
    for (let from = 0; from < texts.length; from += 100) {
      await log.append(texts.slice(from, from + 100).map((text) => said(text)));
    }
    await log.close();
    const wanted = texts.map((text) => JSON.stringify(said(text).payload));
    deepStrictEqual(
      (await readPayloads(store, id)).map((payload) => JSON.stringify(payload)),
      wanted,
    );
    const { log: again, lines } = await store.take(id);
    deepStrictEqual(
      (await parseAll(lines)).slice(1).map(({ payload }) => JSON.stringify(payload)),
      wanted,
    );
    await again.close();
  },
};

/** Returns the two lines that replace a history. */
function compaction(): readonly LogLine[] {
  const usage = {
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 1,
    reasoning_output_tokens: 0,
    total_tokens: 2,
  };
  const state = { turns: 2, requests: 3, usage, queue: [], instructions: null, tools: null };
  const short = said('short');
  return [
    { type: 'oxbow', payload: { kind: 'checkpoint', ...state } },
    {
      type: 'compacted',
      payload: { message: 'short', replacement_history: short.type === 'response_item' ? [short.payload] : [] },
    },
  ];
}
