import type { RepairId } from '../catalog.ts';
import type { RepairFinding, RepairReporter } from '../report.ts';
import type { ResponsesRepairState } from './response-state.ts';
import type { CallsSegment } from './text-part.ts';

/** What a scanner tells of tags and channels. */
export function scannerReports(response: ResponsesRepairState): (id: RepairId, before: string, after: string) => void {
  return (id, before, after) => {
    if (id === 'E3') {
      response.closedThinking = true;
      response.context.memory.startsThinking = true;
    }
    response.reporter.report(id, { before, after });
  };
}

/** Tells of a call that stood in a text, and that it stood there although the protocol has items for calls. */
export function tellTextCall(
  { id, raw }: CallsSegment,
  finding: Omit<RepairFinding, 'before'>,
  reporter: RepairReporter,
): void {
  reporter.report(id, { ...finding, before: raw });
  reporter.report('D16', { before: raw, after: finding.after });
}
