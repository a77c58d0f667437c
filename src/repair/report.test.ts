import { expect, test } from 'vitest';
import type { Repair } from '../base/repair.ts';
import { RepairReporter, reportOnce } from './report.ts';

function reporting() {
  const repairs: Repair[] = [];
  return { repairs, reporter: new RepairReporter((repair) => repairs.push(repair)) };
}

test('a repair is reported once for each call, and once for the response', () => {
  const { repairs, reporter } = reporting();
  reporter.frame = 4;
  for (const callId of ['call_1', 'call_2', 'call_1', undefined, undefined]) {
    reporter.report('C9', { callId, before: 'a', after: 'b' });
  }
  reporter.report('C7', { callId: 'call_1', before: '', after: '}' });
  expect(repairs.map(({ id, callId, frame }) => [id, callId, frame])).toEqual([
    ['C9', 'call_1', 4],
    ['C9', 'call_2', 4],
    ['C9', null, 4],
    ['C7', 'call_1', 4],
  ]);
  expect(repairs[0]?.title).toBe('characters that JSON does not allow in the arguments');
});

test('values are written as JSON, and long texts are shortened', () => {
  const { repairs, reporter } = reporting();
  reporter.report('C1', { before: { city: 'Graz' }, after: 'x'.repeat(201) });
  expect(repairs[0]?.before).toBe('{"city":"Graz"}');
  expect(repairs[0]?.after).toBe(`${'x'.repeat(199)}…`);
});

test('a value that is nested deeper than can be written is reported as an empty text', () => {
  const { repairs, reporter } = reporting();
  let deep: unknown = 0;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  reporter.report('C1', { before: deep, after: undefined });
  expect(repairs[0]).toMatchObject({ before: '', after: '' });
});

test('a repair of arguments is passed on once for each kind, with shortened texts', () => {
  const reported: string[][] = [];
  const report = reportOnce((...repair) => reported.push(repair));
  report('C9', 'a', 'b');
  report('C9', 'c', 'd');
  report('C7', '', '}'.repeat(81));
  expect(reported).toEqual([
    ['C9', 'a', 'b'],
    ['C7', '', `${'}'.repeat(79)}…`],
  ]);
});
