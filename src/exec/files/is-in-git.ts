import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { type GitCaller, type GitOptions, runGit } from '../git/git.ts';

const LITERAL = { GIT_NO_REPLACE_OBJECTS: '1', GIT_LITERAL_PATHSPECS: '1' };

/**
 * Reports whether the index of the repository has exactly these bytes for a file, and the object exists. Filters that a
 * repository configures are programs and are not run: where a filter applies, the answer is false.
 */
export async function isInGit(path: string, bytes: Uint8Array, caller: GitCaller): Promise<boolean> {
  const git: GitOptions = { ...caller, cwd: dirname(path), env: { ...caller.env, ...LITERAL } };
  const listed = await runGit(['ls-files', '--stage', '-z', '--', basename(path)], git);
  const entry = /^100(?:644|755) ([0-9a-f]{40,64}) 0\t[^\0]+\0$/.exec(listed.stdout);
  const id = entry?.[1];
  if (listed.exitCode !== 0 || id === undefined || id !== blobId(bytes, id.length)) return false;
  return (await runGit(['cat-file', '-e', id], git)).exitCode === 0;
}

function blobId(bytes: Uint8Array, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
