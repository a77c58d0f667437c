import { REPAIRS, type RepairId } from '../catalog.ts';
import type { RepairContext } from '../context.ts';

export interface Finding {
  readonly callId?: string | undefined;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is told of the repairs of one response: each kind once for each call, or once for the response. */
export class Reports {
  /** The frame at hand, counted from 1. */
  frame = 0;
  readonly #told = new Set<string>();
  readonly #onRepair: RepairContext['onRepair'];

  constructor(onRepair: RepairContext['onRepair']) {
    this.#onRepair = onRepair;
  }

  add(id: RepairId, { callId, before, after }: Finding): void {
    const key = `${id} ${callId ?? ''}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onRepair({
      id,
      title: REPAIRS[id],
      frame: this.frame,
      callId: callId ?? null,
      before: shortened(before),
      after: shortened(after),
    });
  }
}

const LONGEST = 200;

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : written(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** A value may be nested deeper than can be written. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
