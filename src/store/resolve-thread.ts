import { UserError } from '../base/errors.ts';
import { type RolloutFile, rolloutFiles } from './rollout-files.ts';
import { readNames } from './thread-names.ts';

const SHORTEST_PREFIX = 4;
const MOST_NAMED = 5;

/**
 * The thread that a person means: by its id, the beginning of its id, or its name. Archived ones are found too. Throws
 * `UserError` when there is none, or when it may be several.
 */
export async function resolveThread(home: string, reference: string): Promise<RolloutFile> {
  const names = readNames(home);
  const found: RolloutFile[] = [];
  for (const where of ['active', 'archived'] as const) {
    for await (const file of rolloutFiles(home, where)) {
      if (file.id === reference) return file;
      if (fits(file.id, names.get(file.id), reference)) found.push(file);
    }
  }
  const [first] = found;
  if (first === undefined) throw new UserError(`There is no thread ${reference} in ${home}.`);
  if (found.length > 1) throw new UserError(severalText(reference, found, names));
  return first;
}

function fits(id: string, name: string | undefined, reference: string): boolean {
  return name === reference || (reference.length >= SHORTEST_PREFIX && id.startsWith(reference));
}

function severalText(reference: string, found: readonly RolloutFile[], names: ReadonlyMap<string, string>): string {
  const shown = found.slice(0, MOST_NAMED).map(({ id }) => {
    const name = names.get(id);
    return name === undefined || name === reference ? id : `${id} (${name.slice(0, 40)})`;
  });
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '';
  return `${reference} may be several threads: ${shown.join(', ')}${more}. Give more of the id.`;
}
