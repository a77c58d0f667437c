import { UserError } from './errors.ts';
import { noThread } from './no-thread.ts';

const SHORTEST_PREFIX = 4;
const MOST_NAMED = 5;

/** A thread that a reference may mean. */
export interface NamedThread {
  readonly id: string;
  readonly name: string | null | undefined;
}

/**
 * Chooses the thread that a person means by its id, by the first characters of its id, or by its name. `where` names
 * the store. Throws `UserError` if no thread or more than one fits.
 */
export async function chooseThread<T extends NamedThread>(
  reference: string,
  threads: AsyncIterable<T> | Iterable<T>,
  where: string,
): Promise<T> {
  const found: T[] = [];
  for await (const thread of threads) {
    if (thread.id === reference) return thread;
    if (fits(thread, reference)) found.push(thread);
  }
  const [first] = found;
  if (first === undefined) throw noThread(reference, where);
  if (found.length > 1) throw new UserError('invalid_input', severalText(reference, found));
  return first;
}

function fits({ id, name }: NamedThread, reference: string): boolean {
  return name === reference || (reference.length >= SHORTEST_PREFIX && id.startsWith(reference));
}

function severalText(reference: string, found: readonly NamedThread[]): string {
  const shown = found
    .slice(0, MOST_NAMED)
    .map(({ id, name }) => (name == null || name === reference ? id : `${id} (${name.slice(0, 40)})`));
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '';
  return `${reference} may be several threads: ${shown.join(', ')}${more}. Give more of the id.`;
}
