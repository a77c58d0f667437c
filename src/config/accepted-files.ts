import { fileFault } from '../base/file-fault.ts';
import { openRecordInForce, type ProjectFile, type RecordedProject } from './project-record.ts';

/** Files at the root of a trusted project. */
export interface SortedFiles {
  /** Files with the text that the user accepted. */
  readonly accepted: readonly ProjectFile[];
  /** Files that are new or have changed since. */
  readonly pending: readonly ProjectFile[];
  /** Why the first run could not record the files. */
  readonly unrecorded?: string;
}

/**
 * Sorts the files at the root of a trusted project by whether the user accepted them. The first run accepts them all,
 * but not in a worktree with inherited trust: the user trusted the files of another branch.
 */
export function sortProjectFiles(files: readonly ProjectFile[], project: RecordedProject): SortedFiles {
  const record = openRecordInForce(project);
  let unrecorded: string | undefined;
  if (project.main === undefined && !record.exists()) {
    try {
      // Also without files: one that appears later is new.
      record.write(files);
    } catch (error) {
      unrecorded = fileFault(error);
    }
  }
  const texts = files.length === 0 ? {} : record.read();
  const isAccepted = ({ name, text }: ProjectFile) =>
    text !== null && Object.hasOwn(texts, name) && texts[name] === text;
  return {
    accepted: files.filter(isAccepted),
    pending: files.filter((file) => !isAccepted(file)),
    ...(unrecorded === undefined ? {} : { unrecorded }),
  };
}
