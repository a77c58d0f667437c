import type { Log, LogLine } from '../../base/log.ts';
import type { Recorder } from '../turn-setup.ts';
import { applyLine } from './apply-line.ts';
import { createSerialQueue } from './serial-queue.ts';
import type { ThreadState } from './thread-state.ts';

/** Returns a recorder over a log and the state that its lines so far fold to. */
export function createRecorder(log: Log, state: ThreadState): Recorder {
  const inOrder = createSerialQueue();
  const failure = createFailure();
  const underWay = new Set<Promise<void>>();

  async function add(lines: readonly LogLine[]): Promise<void> {
    await log.append(lines);
    for (const line of lines) applyLine(state, line);
  }

  const held: LogLine[] = [];

  /** Starts to append lines. Only a pipelined log may have several appends under way. */
  function submit(lines: readonly LogLine[]): Promise<void> {
    const added = add(held.length === 0 ? lines : [...held.splice(0), ...lines]);
    if (!log.pipelined) return added;
    const done = added.catch(() => {}).finally(() => underWay.delete(done));
    underWay.add(done);
    return added;
  }

  async function record(...lines: readonly LogLine[]): Promise<void> {
    failure.surface();
    if (lines.length === 0) return;
    try {
      await submit(lines);
    } finally {
      // Lines may have failed because the lines before them did.
      failure.surface();
    }
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
    failure.surface();
  }

  return {
    record,
    settled,
    async note(...lines) {
      failure.surface();
      if (lines.length === 0) return;
      const added = submit(lines);
      if (!log.pipelined) return added;
      added.catch(failure.keep);
    },
    mention: (line) => submit([line]).catch(failure.keep),
    hold: (line) => void held.push(line),
    release: async () => (held.length > 0 ? submit([]).catch(failure.keep) : undefined),
    decide: (make) =>
      inOrder(async () => {
        await settled();
        const lines = make();
        await record(...lines);
        return lines;
      }),
  };
}

/** Returns a holder of the first failure of lines that were not awaited. It throws the failure once. */
function createFailure(): { keep(error: unknown): void; surface(): void } {
  let kept: { readonly error: unknown } | undefined;
  return {
    keep(error) {
      kept ??= { error };
    },
    surface() {
      const first = kept;
      kept = undefined;
      if (first) throw first.error;
    },
  };
}
