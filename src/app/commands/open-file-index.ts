import type { Config } from '../../config/load-config.ts';
import { type FileIndex, type FileIndexOptions, openFileIndex } from '../../exec/files/file-index.ts';
import { gitCaller } from './git-caller.ts';

export type { FileIndex } from '../../exec/files/file-index.ts';

/**
 * Lists the files of the working folder in the background, for a surface that completes their names. At most 200,000
 * names are listed.
 */
export function openFilesOf(
  config: Pick<Config, 'cwd' | 'env' | 'policy' | 'project'>,
  listeners: Pick<FileIndexOptions, 'onBegin' | 'onNames' | 'onDone'>,
): FileIndex {
  return openFileIndex({ ...listeners, cwd: config.cwd, git: () => gitCaller(config) });
}
