import { expect, test } from 'vitest';
import { decideFinish, type Finish, type FinishCalls, type FinishEnd, type FinishSignal } from './finish.ts';

const OK = { as: 'stop' } as const;
const CALLS = { as: 'calls' } as const;
const CUT = { as: 'cut' } as const;
const FAILED = { as: 'failed' } as const;
const by = (finish: Finish, repair: string) => ({ ...finish, repair });

/** Every cell: the signal, the end of the frames, and the meaning with no call, whole calls, a garbled call and a broken one. */
const TABLE: readonly (readonly [FinishSignal, FinishEnd, object, object, object, object])[] = [
  ['stop', 'signal', OK, by(CALLS, 'A1'), by(CALLS, 'A1'), by(CUT, 'A9')],
  ['calls', 'signal', by(OK, 'A8'), CALLS, CALLS, by(CUT, 'A9')],
  ['cut', 'signal', CUT, CUT, CUT, CUT],
  ['error', 'signal', FAILED, FAILED, FAILED, FAILED],
  ['refused', 'signal', by(FAILED, 'A13'), by(FAILED, 'A13'), by(FAILED, 'A13'), by(FAILED, 'A13')],
  ['none', 'mark', by(OK, 'A5'), by(CALLS, 'A5'), by(FAILED, 'A6'), by(FAILED, 'A6')],
  ['none', 'connection', by(FAILED, 'A6'), by(CALLS, 'A5'), by(FAILED, 'A6'), by(FAILED, 'A6')],
];

const STATES: readonly FinishCalls[] = ['none', 'whole', 'garbled', 'broken'];

test.each(TABLE)('%s at the %s', (signal, end, ...cells) => {
  expect(STATES.map((calls) => decideFinish(signal, end, calls))).toEqual(cells);
});

test('a finish is made up only after the end mark or when every call is whole', () => {
  for (const end of ['mark', 'connection'] as const) {
    for (const calls of STATES) {
      const good = decideFinish('none', end, calls).as !== 'failed';
      expect(good).toBe(calls === 'whole' || (end === 'mark' && calls === 'none'));
    }
  }
});
