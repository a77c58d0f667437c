import type { LogLine } from '../base/log.ts';
import { lineHead } from './line-head.ts';
import { decodeLine } from './rollout-line.ts';

/** The queued inputs of a thread, collected from its lines. */
export interface WaitingInputs {
  see(line: Buffer): void;
  ids(): readonly string[];
}

export function createWaitingInputs(): WaitingInputs {
  const waiting = new Set<string>();
  return {
    ids: () => [...waiting],
    see(bytes) {
      const line = mayChangeInputs(bytes) ? decoded(bytes) : undefined;
      if (line?.type === 'response_item' && line.metadata?.queued !== undefined) waiting.delete(line.metadata.queued);
      if (line?.type !== 'oxbow') return;
      const { payload } = line;
      if (payload.kind === 'input.queued') waiting.add(payload.id);
      if (payload.kind === 'input.removed') waiting.delete(payload.id);
      if (payload.kind !== 'checkpoint') return;
      waiting.clear();
      for (const { id } of payload.queue) waiting.add(id);
    },
  };
}

/** Decodes a line; undefined if it cannot be read. */
export function decoded(bytes: Buffer): LogLine | undefined {
  try {
    return decodeLine(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const TAKEN = '"metadata":{"queued":';

/** Reports whether a line must be parsed. Long lines are parsed only if necessary. */
function mayChangeInputs(bytes: Buffer): boolean {
  const head = lineHead(bytes, 0, bytes.length);
  if (!head) return true;
  if (head.type === 'response_item') return bytes.includes(TAKEN);
  return head.type === 'oxbow' && (head.kind === 'checkpoint' || head.kind?.startsWith('input.') === true);
}
