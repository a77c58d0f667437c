import type { RepairId } from './catalog.ts';

/** Finish signal of a response. `none`: it had no signal. `refused`: the server could not parse its model's call. */
export type FinishSignal = 'stop' | 'calls' | 'cut' | 'error' | 'refused' | 'none';

/** End of the frames: the finish signal itself, the end mark, or the end of the connection. */
export type FinishEnd = 'signal' | 'mark' | 'connection';

/**
 * Calls of a response. `broken`: the last call was cut off in the middle of its arguments. `garbled`: only the arguments
 * of an earlier call break off, which the end of the response did not cause.
 */
export type FinishCalls = 'none' | 'whole' | 'garbled' | 'broken';

export interface Finish {
  /** `calls` and `stop` are good ends, `cut` is a limit that was reached, `failed` is a broken response. */
  readonly as: 'calls' | 'stop' | 'cut' | 'failed';
  /** The repair, if the meaning differs from the signal. */
  readonly repair?: RepairId;
}

/**
 * Decides what the end of a response means. A finish is made up only after the end mark, or when every call is whole.
 * Otherwise the response broke off and must not pass for complete.
 */
export function decideFinish(signal: FinishSignal, end: FinishEnd, calls: FinishCalls): Finish {
  return signal === 'none'
    ? UNSIGNALLED[end === 'connection' ? 'connection' : 'mark'][calls]
    : SIGNALLED[signal][calls];
}

const SIGNALLED: Readonly<Record<Exclude<FinishSignal, 'none'>, Readonly<Record<FinishCalls, Finish>>>> = {
  stop: {
    none: { as: 'stop' },
    whole: { as: 'calls', repair: 'A1' },
    garbled: { as: 'calls', repair: 'A1' },
    broken: { as: 'cut', repair: 'A9' },
  },
  calls: {
    none: { as: 'stop', repair: 'A8' },
    whole: { as: 'calls' },
    garbled: { as: 'calls' },
    broken: { as: 'cut', repair: 'A9' },
  },
  cut: allCalls({ as: 'cut' }),
  error: allCalls({ as: 'failed' }),
  refused: allCalls({ as: 'failed', repair: 'A13' }),
};

const UNSIGNALLED: Readonly<Record<'mark' | 'connection', Readonly<Record<FinishCalls, Finish>>>> = {
  mark: {
    none: { as: 'stop', repair: 'A5' },
    whole: { as: 'calls', repair: 'A5' },
    garbled: { as: 'failed', repair: 'A6' },
    broken: { as: 'failed', repair: 'A6' },
  },
  connection: {
    none: { as: 'failed', repair: 'A6' },
    whole: { as: 'calls', repair: 'A5' },
    garbled: { as: 'failed', repair: 'A6' },
    broken: { as: 'failed', repair: 'A6' },
  },
};

function allCalls(finish: Finish): Readonly<Record<FinishCalls, Finish>> {
  return { none: finish, whole: finish, garbled: finish, broken: finish };
}
