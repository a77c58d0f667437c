import type { Repair } from '../../base/repair.ts';
import type { Turn } from '../turn-setup.ts';

/** Records and reports a repair in the current response or in a call. */
export async function recordRepair(turn: Turn, repair: Repair, of: 'response' | 'call' = 'response'): Promise<void> {
  const { callId: call_id, ...rest } = repair;
  turn.ledger.add({ repairs: 1 });
  if (of === 'response') turn.ledger.request.repairs++;
  await turn.note({ type: 'oxbow', payload: { kind: 'repair', call_id, ...rest } });
  turn.emit({ type: 'repair', ...repair });
}
