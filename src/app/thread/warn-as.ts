import type { WarningCode } from '../../base/event.ts';
import type { ThreadSetup } from '../../engine/turn-setup.ts';

/** Returns the function that reports warnings of one kind as events of a thread. */
export function warnAs(emit: ThreadSetup['emit'], code: WarningCode): (message: string) => void {
  return (message) => emit({ type: 'warning', code, message }, null);
}
