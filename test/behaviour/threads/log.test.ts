import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canonicalLine } from '../../../src/app/thread/canonical-line.ts';
import { usableLines } from '../../../src/app/thread/usable-lines.ts';
import { messageText } from '../../../src/base/item.ts';
import type { LogLine, SessionMeta } from '../../../src/base/log.ts';
import { applyLine } from '../../../src/engine/state/apply-line.ts';
import { emptyState, type ThreadState } from '../../../src/engine/state/thread-state.ts';
import { decodeLines } from '../../../src/log/decode-lines.ts';
import { createRolloutCatalogue } from '../../../src/store/catalogue/rollout-catalogue.ts';
import { openRolloutLog } from '../../../src/store/lines/rollout-log.ts';
import { createRolloutStore } from '../../../src/store/rollout-store.ts';
import { runs } from '../../harness/runs.ts';
import { lineText, someSteps, writeSteps } from './random-log.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'log-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function metaLine(id: string, more: object = {}): LogLine {
  const payload = { id, session_id: id, timestamp: '2026-01-02T03:04:05.678Z', cwd: '/', ...more };
  return { type: 'session_meta', payload: { ...payload, base_instructions: { text: 'Base.' } } as SessionMeta };
}

function said(text: string): LogLine {
  return { type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } };
}

function compacted(...texts: string[]): LogLine {
  const replacement_history = texts.map((text) => said(text).payload);
  return { type: 'compacted', payload: { message: 'short', replacement_history } } as LogLine;
}

const turn: LogLine = { type: 'event_msg', payload: { type: 'task_started', turn_id: 't' } };

function pathOf(id: string, folder = 'sessions/2026/01/02'): string {
  mkdirSync(join(home, folder), { recursive: true });
  return join(home, folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`);
}

/** Writes lines numbered from `first`. */
function write(id: string, lines: readonly (LogLine | string)[], first = 0): string {
  const texts = lines.map((line, n) => (typeof line === 'string' ? line : lineText(line, first + n)));
  const path = pathOf(id);
  writeFileSync(path, `${texts.join('\n')}\n`);
  return path;
}

function openStore(gate = canonicalLine) {
  const catalogue = async () => createRolloutCatalogue;
  return createRolloutStore({ home, timezone: 'UTC', now: Date.now, gate, catalogue });
}

async function fold(
  id: string,
  way: 'read' | 'resume',
  onWarning: (warning: string) => void = () => {},
): Promise<ThreadState> {
  const store = openStore();
  const state = emptyState();
  if (way === 'read') {
    for await (const { line } of decodeLines(store.read(id), canonicalLine)) applyLine(state, line);
    return state;
  }
  const taken = await store.take(id);
  const told = (warning: string) => onWarning(warning.replace(`${pathOf(id)}: `, ''));
  try {
    for await (const line of usableLines(taken, told)) applyLine(state, line);
  } finally {
    await taken.log.close();
  }
  return state;
}

const texts = ({ history }: ThreadState) => history.map((item) => (item.type === 'message' ? messageText(item) : ''));

test('a resumed thread equals all its lines, whatever program wrote them and whatever happened to them', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, fc.constantFrom('', '{"half', 'x'), async (steps, half) => {
      const meta = metaLine('one');
      write('one', [meta, ...writeSteps(meta, steps)]);
      appendFileSync(pathOf('one'), half);
      expect(await fold('one', 'resume')).toEqual(await fold('one', 'read'));
    }),
    { numRuns: runs(500) },
  );
});

test('a fork by pointer is its own first line, the lines it points to, and the lines it added', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, fc.nat(40), fc.nat(40), fc.constantFrom('right', 'wrong', 'none'), async (...made) => {
      const [steps, one, other, offsets] = made;
      const meta = metaLine('child');
      const lines = writeSteps(
        meta,
        steps.map((step) => ('raw' in step ? step : { ...step, style: 'ours' })),
      );
      const [first = 0, second = 0] = [one, other].map((n) => Math.min(n, lines.length)).sort((a, b) => a - b);
      const grown = [lineText(said('said in the parent later'), 999)];
      write('grandparent', [metaLine('grandparent'), ...lines.slice(0, first), ...grown]);
      write('parent', [pointing('parent', 'grandparent', first + 1, offsets), ...lines.slice(first, second), ...grown]);
      write('child', [pointing('child', 'parent', second + 1, offsets), ...lines.slice(second)]);
      const resumed = await fold('child', 'resume');
      expect(resumed).toEqual(await fold('child', 'read'));
      write('whole', [meta, ...lines]);
      expect({ ...resumed, meta: null }).toEqual({ ...(await fold('whole', 'read')), meta: null });
    }),
    { numRuns: runs(200) },
  );

  function pointing(id: string, of: string, limit: number, offsets: string): LogLine {
    const pointer = { forked_from_id: of, forked_from_ordinal_exclusive: limit };
    const end_byte_offset = offsets === 'wrong' ? 7 : endOfLines(of, limit);
    return metaLine(id, { ...pointer, ...(offsets === 'none' ? {} : { history_base: { end_byte_offset } }) });
  }
});

/** Returns the offset where the lines with ordinals below the limit end. */
function endOfLines(id: string, limit: number): number {
  const lines = readFileSync(pathOf(id), 'utf8').split('\n').slice(0, -1);
  const behind = lines.findIndex((line) => Number(/"ordinal":(\d+)/.exec(line)?.[1]) >= limit);
  return Buffer.byteLength(`${lines.slice(0, behind < 0 ? lines.length : behind).join('\n')}\n`);
}

test('a missing parent is named when its lines are needed, and ignored when they are not', async () => {
  const pointer = { forked_from_id: 'gone', forked_from_ordinal_exclusive: 5 };
  write('child', [metaLine('child', pointer), said('hello')], 5);
  const message = 'The thread child goes on from the thread gone, whose rollout is not there';
  await expect(fold('child', 'resume')).rejects.toThrow(message);
  await expect(fold('child', 'read')).rejects.toThrow(message);
  write('child', [metaLine('child', pointer), said('hello'), compacted('short'), turn, said('on')], 5);
  const faults: string[] = [];
  const state = await fold('child', 'resume', (fault) => faults.push(fault));
  expect(texts(state)).toEqual(['short', 'on']);
  expect(faults).toEqual([expect.stringContaining(message)]);
});

test('an archived parent is found', async () => {
  write('child', [metaLine('child', { forked_from_id: 'old', forked_from_ordinal_exclusive: 2 }), said('here')], 2);
  const lines = [metaLine('old'), said('there'), said('later')].map((line, n) => lineText(line, n));
  writeFileSync(pathOf('old', 'archived_sessions'), `${lines.join('\n')}\n`);
  expect(texts(await fold('child', 'resume'))).toEqual(['there', 'here']);
});

test('forks that point in a circle are refused', async () => {
  for (const [id, of] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    write(id, [metaLine(id, { forked_from_id: of, forked_from_ordinal_exclusive: 9 })], 1);
  }
  await expect(fold('a', 'resume')).rejects.toThrow('or they go in a circle');
});

test('a broken line is reported with its number, even when only the tail is read, and the rest is kept', async () => {
  const damaged = [
    'garbage',
    '\u0000\u0000\u0000',
    '{"timestamp":"2026","ordinal":9,"type":"response_item","payload":{"type":"mess',
    '{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":5}}}',
    '{"type":"response_item","payload":{"type":"function_call","name":"f"}}',
    '"a text"',
  ];
  for (const base of [[], [said('b'), compacted('base')]]) {
    write('one', [metaLine('one'), ...base, ...damaged.flatMap((line) => [line, said('kept')])]);
    const faults: string[] = [];
    const state = await fold('one', 'resume', (fault) => faults.push(fault));
    expect(texts(state).filter((text) => text === 'kept')).toHaveLength(damaged.length);
    const first = 2 + base.length;
    const numbers = faults.map((fault) => Number(/^line (\d+) (is not JSON and )?was skipped/.exec(fault)?.[1]));
    expect(numbers).toEqual(damaged.map((_, n) => first + 2 * n));
  }
});

test('bytes that are not UTF-8 are replaced and reported', async () => {
  const path = write('one', [metaLine('one'), said('before')]);
  const [start = '', end = ''] = lineText(said('x?x'), 2).split('?');
  appendFileSync(path, Buffer.concat([Buffer.from(start), Buffer.from([0xff]), Buffer.from(`${end}\n`)]));
  const faults: string[] = [];
  expect(texts(await fold('one', 'resume', (fault) => faults.push(fault)))).toEqual(['before', 'x\ufffdx']);
  expect(faults).toEqual(['line 3 holds bytes that are no text: they were replaced']);
});

test('a rollout of a newer version or of an unknown mode is refused, and nothing is changed', async () => {
  for (const [field, message] of [
    [{ oxbow_format: 2 }, 'was written by a newer Oxbow, in format 2; this one knows 1. Update Oxbow'],
    [{ history_mode: 'woven' }, 'keeps its history in a mode that this version does not know, "woven"'],
  ] as const) {
    const path = write('one', [metaLine('one', field), said('hello')]);
    const before = readFileSync(path);
    await expect(fold('one', 'resume')).rejects.toThrow(message);
    await expect(fold('one', 'read')).rejects.toThrow(message);
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(join(home, 'thread-locks', 'one'))).toBe(false);
  }
  write('one', [metaLine('one', { oxbow_format: 1, history_mode: 'paginated' }), said('hello')]);
  expect(texts(await fold('one', 'resume'))).toEqual(['hello']);
});

test('line numbers continue after a resume, and after the lines of a fork', async () => {
  write('parent', [metaLine('parent'), said('a'), said('b')]);
  write('child', [metaLine('child', { forked_from_id: 'parent', forked_from_ordinal_exclusive: 3 }), said('c')], 3);
  const { log, lines } = await openStore().take('child');
  for await (const _ of lines);
  await log.append([said('d')]);
  await log.close();
  expect(readFileSync(pathOf('child'), 'utf8')).toMatch(/"ordinal":4,.*\n.*"ordinal":5,.*\n$/);
});

test('a compressed rollout is refused with a remedy, or read if this Node can', async () => {
  const path = `${write('one', [metaLine('one'), said('hello')])}.zst`;
  writeFileSync(path, Buffer.from('not really compressed'));
  rmSync(pathOf('one'));
  await expect(fold('one', 'resume')).rejects.toThrow(
    /is compressed, which this Node .* zstd -d --rm|cannot be unpacked/,
  );
});

test('a thread is resumed from its last base: earlier lines are neither parsed nor held', async () => {
  const long = 'x'.repeat(100_000);
  const before = Array.from({ length: 400 }, () => [turn, said(long)]).flat();
  const path = write('one', [metaLine('one'), ...before, compacted('base'), turn, said('after')]);
  let parsed = 0;
  const gate = (line: LogLine) => {
    parsed += line.type === 'response_item' ? 1 : 0;
    return canonicalLine(line);
  };
  const log = openRolloutLog({ home, id: 'one', path, now: Date.now, gate });
  const state = emptyState();
  for await (const { line } of decodeLines(log.lines(), gate, expect.fail)) applyLine(state, line);
  expect(texts(state)).toEqual(['base', 'after']);
  expect(state.turns).toBe(401);
  expect(parsed).toBe(1);
});
