import { REPAIRS, type RepairId } from './catalog.ts';
import type { RepairContext } from './context.ts';
import { writtenJson } from './field-values.ts';

/** Repair as it was found. Values that are not texts are written as JSON, and shortened. */
export interface RepairFinding {
  readonly callId?: string | undefined;
  readonly before: unknown;
  readonly after: unknown;
}

/** Reports the repairs of one response: each kind once for each call, or once for the response. */
export class RepairReporter {
  /** The current frame, counted from 1. */
  frame = 0;
  readonly #reported = new Map<RepairId, Set<string | undefined>>();
  readonly #onRepair: RepairContext['onRepair'];

  constructor(onRepair: RepairContext['onRepair']) {
    this.#onRepair = onRepair;
  }

  report(id: RepairId, { callId, before, after }: RepairFinding): void {
    const calls = this.#reported.get(id);
    if (calls?.has(callId)) return;
    if (calls === undefined) this.#reported.set(id, new Set([callId]));
    else calls.add(callId);
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

const MAX_CHARS = 200;

function shortened(value: unknown): string {
  return cutTo(MAX_CHARS, typeof value === 'string' ? value : (writtenJson(value) ?? ''));
}

/** Receives one repair: the text as it came, and the text that replaces it. */
export type RepairReport = (id: RepairId, before: string, after: string) => void;

/** Returns a report that passes on the first repair of each kind, with its texts shortened. */
export function reportOnce(report: RepairReport): RepairReport {
  const reported = new Set<RepairId>();
  return (id, before, after) => {
    if (reported.has(id)) return;
    reported.add(id);
    report(id, cutTo(MAX_ARGUMENT_TEXT, before), cutTo(MAX_ARGUMENT_TEXT, after));
  };
}

const MAX_ARGUMENT_TEXT = 80;

function cutTo(chars: number, text: string): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}
