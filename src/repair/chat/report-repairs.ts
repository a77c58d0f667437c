import { REPAIRS, type RepairId } from '../catalog.ts';
import type { RepairContext } from '../context.ts';
import { writtenJson } from '../field-values.ts';

/** What is said of a repair. Values are written as JSON, and shortened. */
export interface RepairDetail {
  readonly callId?: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Reporter {
  /** The frame at hand, counted from 1. */
  frame: number;
  /** Once for each kind and call. */
  report(id: RepairId, detail: RepairDetail): void;
}

/** Tells the repairs of one response. */
export function reportRepairs(onRepair: RepairContext['onRepair']): Reporter {
  const told = new Map<RepairId, Set<string | undefined>>();
  return {
    frame: 0,
    report(id, { callId, before, after }) {
      const calls = told.get(id);
      if (calls?.has(callId)) return;
      if (calls === undefined) told.set(id, new Set([callId]));
      else calls.add(callId);
      onRepair({
        id,
        title: REPAIRS[id],
        frame: this.frame,
        callId: callId ?? null,
        before: shortened(before),
        after: shortened(after),
      });
    },
  };
}

const MAX_CHARS = 200;

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (writtenJson(value) ?? '');
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}
