import { createOutputPipes, type OutputPipes, type PipePlaces } from './output-pipes.ts';

/**
 * Pipes by the folders in which they are named. They belong to the process: each environment keeps a few pipes in advance,
 * and a process may have a thousand environments.
 */
const shared = new Map<string, { readonly pipes: OutputPipes; users: number }>();

/** Returns the pipes of these folders. They are closed when all of their users have closed them. */
export function sharePipes(places: PipePlaces): OutputPipes {
  const key = JSON.stringify([places.home, places.temporary]);
  const entry = shared.get(key) ?? { pipes: createOutputPipes(places), users: 0 };
  shared.set(key, entry);
  entry.users += 1;
  let closing: Promise<void> | undefined;

  async function release(): Promise<void> {
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(key);
    await entry.pipes.close();
  }

  return {
    ...entry.pipes,
    close() {
      closing ??= release();
      return closing;
    },
  };
}
