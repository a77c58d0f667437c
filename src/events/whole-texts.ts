import { isCall, isCallOutput } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import { argumentsOf, textOf } from './call-item.ts';

/** Texts of a call as the log has them, of which the shown item may have only the beginning and the end. */
export interface WholeCall {
  readonly arguments: string;
  /** The text that the model got, or null if there is none. */
  readonly output: string | null;
}

/** The texts of a log that a transcript cuts or leaves out, collected from its lines. */
export interface WholeTexts {
  apply(line: LogLine): void;
  /** Returns the call behind a shown item, if there is one. */
  callOf(itemId: string): WholeCall | undefined;
  /** Returns the message of the error that a turn failed with. */
  failureOf(turnId: string): string | undefined;
}

export function createWholeTexts(): WholeTexts {
  const calls = new Map<string, WholeCall>();
  /** Ids of the calls behind items, where the two ids differ. */
  const behind = new Map<string, string>();
  const failures = new Map<string, string>();

  const note = (id: string, texts: Partial<WholeCall>) =>
    calls.set(id, { arguments: '', output: null, ...calls.get(id), ...texts });

  return {
    callOf: (itemId) => calls.get(behind.get(itemId) ?? itemId),
    failureOf: (turnId) => failures.get(turnId),
    apply(line) {
      if (line.type === 'response_item') {
        const item = line.payload;
        if (isCall(item)) note(item.call_id, { arguments: argumentsOf(item), output: null });
        if (isCallOutput(item)) note(item.call_id, { output: textOf(item.output) });
      }
      if (line.type !== 'oxbow') return;
      const own = line.payload;
      if (own.kind === 'call.started' && own.arguments !== undefined)
        note(own.call_id, { arguments: String(own.arguments) });
      if (own.kind === 'call.finished') note(own.output.call_id, { output: textOf(own.output.output) });
      if (own.kind === 'item' && own.call_id !== undefined) behind.set(own.item.id, own.call_id);
      if (own.kind === 'turn.failed') failures.set(own.turn_id, String(own.message));
    },
  };
}
