import { createOutputPipes, type OutputPipes, type PipePlaces } from './output-pipes.ts';

/**
 * Returns the pipes of these folders, which all environments of the process share: each keeps a few pipes in advance, and
 * there may be a thousand. The pipes are closed when all of their users have closed them.
 */
export const sharePipes = createProcessPipes();

function createProcessPipes(): (places: PipePlaces) => OutputPipes {
  const known = new Map<string, { readonly pipes: OutputPipes; users: number }>();
  return (places) => {
    const key = JSON.stringify([places.home, places.temporary]);
    const entry = known.get(key) ?? { pipes: createOutputPipes(places), users: 0 };
    known.set(key, entry);
    entry.users += 1;
    let closing: Promise<void> | undefined;
    const release = async () => {
      entry.users -= 1;
      if (entry.users > 0) return;
      known.delete(key);
      await entry.pipes.close();
    };
    return {
      ...entry.pipes,
      close() {
        closing ??= release();
        return closing;
      },
    };
  };
}
