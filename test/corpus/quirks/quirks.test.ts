import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isFull, runs } from '../../harness/runs.ts';
import { formatFaults } from './corpus-format.ts';
import { expectField } from './expect-field.ts';
import { findWire } from './find-wire.ts';
import { bodyOf, type Case, readCorpus } from './read-corpus.mjs';
import { recutFrames } from './recut-frames.ts';
import { type CaseResult, readFrames, repairAgain, requestAfter, runCase } from './run-case.ts';

const corpus = readCorpus();

describe('the corpus', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));

  test('holds only files of the right format', () => {
    const faults = files.flatMap((name) =>
      formatFaults(name, JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))),
    );
    expect(faults).toEqual([]);
  });

  test('has a file for every quirk of a response', () => {
    const sections = { A: 13, B: 15, C: 10, D: 16, E: 11, F: 18 };
    const ids = Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, i) => `${section}${i + 1}`),
    );
    // The other quirks of the section are faults of gateways, which their conformance tests cover.
    const others = [1, 2, 3, 8, 9, 10, 11, 12].map((number) => `I${number}`);
    expect(corpus.map(({ id }) => id)).toEqual([...ids, ...others]);
  });

  test('matches docs/wire-quirks.md', () => {
    const script = join(import.meta.dirname, 'write-page.mjs');
    expect(spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' }).stderr).toBe('');
  });

  test('is really checked', () => {
    const broken = { id: 'A1', cases: [{ name: 'No', says: '', wire: 'chat', frames: [1], extra: 1 }] };
    const faults = formatFaults('A2.json', broken);
    expect(faults).toContain('A2.json: its id is A1');
    expect(faults).toContain('A2.json: title is missing');
    expect(faults).toContain('A2.json.cases[0]: unknown key extra');
    expect(faults).toContain('A2.json No: a body without `expect`');
  });
});

for (const { id, title, cases } of corpus.filter((quirk) => quirk.cases.length > 0)) {
  describe(`${id} ${title}`, () => {
    for (const kase of cases) {
      test(`${kase.name}: ${kase.says}`, () => {
        const bytes = bodyOf(kase);
        const whole = runCase(kase, [bytes]);
        expectResult(kase, whole);
        expectSameAnyhow(kase, bytes, whole);
        for (const field of kase.expect_request ?? []) expectField(requestAfter(kase, whole.items), field);
      });

      if (kase.expect === undefined) continue;
      test(`${kase.name}, with its texts and arguments in other pieces, has the same result`, () => {
        const { came: _, out: __, ...whole } = runCase(kase, [bodyOf(kase)]);
        for (const size of [1, 2, 5]) {
          const { came, out, ...recut } = runCase(kase, [bodyOf(recutCase(kase, size))]);
          expect(recut, `pieces of ${size}`).toEqual(whole);
        }
      });

      test(`${kase.name}, repaired twice, has the same result as repaired once`, () => {
        const { out } = runCase(kase, [bodyOf(kase)]);
        expect(repairAgain(kase, out)).toEqual({ repairs: [], data: out.map(({ data }) => data) });
      });
    }
  });
}

function expectResult({ expect: expected }: Case, result: CaseResult): void {
  if (expected === undefined) return;
  const { text, reasoning, calls, call_ids, finish, error, repairs, usage } = expected;
  expect(pick(result)).toEqual({
    text,
    reasoning: reasoning ?? result.reasoning,
    calls,
    finish,
    repairs,
    usage: usage ?? result.usage,
  });
  if (error !== undefined) expect(result.error).toMatch(new RegExp(error, 'u'));
  expect(new Set(result.callIds).size).toBe(result.callIds.length);
  if (call_ids !== undefined) expect(result.callIds).toEqual(call_ids.map(exactOrMatching));
  if (repairs.length === 0) expect(result.out.map(({ data }) => data)).toEqual(result.came);
}

function recutCase(kase: Case, size: number): Case {
  return kase.frames === undefined ? kase : { ...kase, frames: recutFrames(kase.frames, size) };
}

function pick({ text, reasoning, calls, finish, repairs, usage }: CaseResult) {
  return { text, reasoning, calls, finish, repairs, usage };
}

/** The most bytes of a body that is cut at every place. A longer one, or any in a quick run, is cut at some places. */
const ALL_PLACES = 4096;
const SOME_PLACES = runs(400);
const FEW_PLACES = isFull() ? 8 : 3;

/**
 * Expects the same result however the bytes are cut. A repair gets frames one by one, so cuts that lead to the same
 * frames lead to the same result.
 */
function expectSameAnyhow(kase: Case, bytes: Buffer, whole: CaseResult): void {
  const expectSame = (pieces: readonly Uint8Array[], how: string) => expect(runCase(kase, pieces), how).toEqual(whole);
  expectSame(
    Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)),
    'byte by byte',
  );
  const inTwo = (place: number) => [bytes.subarray(0, place), bytes.subarray(place)];
  for (const place of places(bytes, FEW_PLACES)) expectSame(inTwo(place), `cut after ${place} bytes`);
  const { framing } = findWire(kase.wire);
  const same = JSON.stringify(readFrames([bytes], framing));
  const different = places(bytes, bytes.length <= runs(ALL_PLACES) ? bytes.length : SOME_PLACES).filter(
    (place) => JSON.stringify(readFrames(inTwo(place), framing)) !== same,
  );
  expect(different, 'cuts that give other frames').toEqual([]);
}

function places({ length }: Buffer, count: number): readonly number[] {
  return Array.from({ length: count - 1 }, (_, i) => Math.floor(((i + 1) * length) / count));
}

function exactOrMatching(expected: string): unknown {
  const pattern = /^\/(.*)\/$/.exec(expected)?.[1];
  return pattern === undefined ? expected : expect.stringMatching(new RegExp(pattern, 'u'));
}
