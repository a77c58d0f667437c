import { statSync } from 'node:fs';
import { type RolloutFile, rolloutFiles } from './rollout-files.ts';

/** The rollout files that were written to since then, archived ones too, the newest threads first. `since`: ms since 1970. */
export async function* recentRollouts(home: string, since: number): AsyncGenerator<RolloutFile, void, undefined> {
  for (const where of ['active', 'archived'] as const) {
    for await (const file of rolloutFiles(home, where)) {
      const stat = statSync(file.path, { throwIfNoEntry: false });
      if (stat && stat.mtimeMs >= since) yield file;
    }
  }
}
