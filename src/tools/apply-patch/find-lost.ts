import type { View } from '../../base/tool.ts';

/** As many as make sense at once: each is a question to a process. */
const LANES = 8;

/** Those of some files that git does not have as they stand. */
export async function findLost(paths: readonly string[], files: View['files']): Promise<ReadonlySet<string>> {
  const waiting = paths.values();
  const lost = new Set<string>();
  const lane = async () => {
    for (const path of waiting) if (!(await files.isInGit(path))) lost.add(path);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return lost;
}
