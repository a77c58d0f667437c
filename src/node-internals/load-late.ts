import { messageOf, UserError } from '../base/errors.ts';
import { checkDescriptors } from './check-descriptors.ts';

/**
 * Loads a part of the library that is not needed at its start. Node remembers forever that an import failed, also when a
 * file could not be read because too many were open, so a part is loaded only when there are descriptors for its files. The
 * build puts each `import()` of the library into a call of this function.
 */
export const loadLate = createLateLoader();

function createLateLoader() {
  /** Parts that are loaded, or on their way. */
  const begun = new Set<string>();
  return async <T>(name: string, load: () => Promise<T>): Promise<T> => {
    if (!begun.has(name)) {
      assertDescriptors();
      begun.add(name);
    }
    return load();
  };
}

/** More than the files of any part. */
const DESCRIPTORS = 16;

/** Throws `UserError` if this process cannot open a few more files. */
function assertDescriptors(): void {
  try {
    checkDescriptors(DESCRIPTORS);
  } catch (error) {
    const text = `A part of Oxbow cannot be loaded, because this process has too many files open (${messageOf(error)}). Close some, or raise the limit (ulimit -n), and go on.`;
    throw new UserError('unavailable', text, { cause: error });
  }
}
