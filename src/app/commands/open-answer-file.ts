import { resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import type { Config } from '../../config/load-config.ts';
import { type OutputFile, openOutputFile } from '../../exec/files/output-file.ts';

/** The file that gets the final answer of a run. */
export interface AnswerFile extends OutputFile {
  readonly path: string;
}

/** Opens the file for the final answer. Throws `UserError` where the answer cannot be written. */
export function openAnswerFile(name: string, { cwd, policy }: Pick<Config, 'cwd' | 'policy'>): AnswerFile {
  const path = resolve(cwd, name);
  const attempt = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      if (error instanceof UserError) throw error;
      const what = `The final answer cannot be written to ${path}: ${fileFault(error)}.`;
      throw new UserError('storage', `${what} Name a file in a folder that exists and that you may write to.`);
    }
  };
  const file = attempt(() => openOutputFile(path, policy.sandbox.writableRoots));
  return { path, write: (text) => attempt(() => file.write(text)), close: () => attempt(file.close) };
}
