import type { Repair } from '../base/repair.ts';
import type { Turn } from './turn-setup.ts';

/** Puts on record that something was mended, and says so. */
export async function recordRepair(turn: Turn, repair: Repair): Promise<void> {
  const { callId: call_id, ...rest } = repair;
  await turn.record({ type: 'oxbow', payload: { kind: 'repair', call_id, ...rest } });
  turn.emit({ type: 'repair', ...repair });
}
