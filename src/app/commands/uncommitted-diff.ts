import { UserError } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { type GitOptions, gitFailure, runGit } from '../../exec/git/git.ts';
import { findRepository } from '../../exec/git/git-repository.ts';
import { gitCaller } from './git-caller.ts';

type Place = Pick<Config, 'cwd' | 'env' | 'policy' | 'project'>;

/** New files whose content is shown. More are named at the end. */
const MOST_NEW_FILES = 50;
/** Programs of the repository could change what is shown. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** Returns the uncommitted changes of the repository as one diff, new files included. Throws `UserError` where there is no repository. */
export async function uncommittedDiff(config: Place): Promise<string> {
  const caller = await gitCaller(config);
  const { root } = await findRepository({ ...caller, cwd: config.cwd });
  const place = { ...caller, cwd: root };
  const head = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD'], place);
  const tracked = await diffOf(['diff', ...PLAIN, head.exitCode === 0 ? 'HEAD' : '--cached'], place);
  const names = (await diffOf(['ls-files', '-o', '-z', '--exclude-standard'], place)).split('\0').filter(Boolean);
  const added: string[] = [];
  for (const name of names.slice(0, MOST_NEW_FILES))
    added.push(await diffOf(['diff', ...PLAIN, '--no-index', '--', '/dev/null', name], place));
  const hidden = names.slice(MOST_NEW_FILES).map((name) => `new file: ${name}\n`);
  return [tracked, ...added, ...hidden].join('');
}

/** Returns the branch that is checked out, or null. */
export async function currentBranch(config: Place): Promise<string | null> {
  if (config.project.root === null) return null;
  try {
    const place = { ...(await gitCaller(config)), cwd: config.cwd };
    const { exitCode, stdout } = await runGit(['symbolic-ref', '--short', '--quiet', 'HEAD'], place);
    return exitCode === 0 ? stdout.trim() : null;
  } catch (error) {
    // The branch is a comfort: a machine without git works too.
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Returns the output of git. The exit code 1 of a diff means that there are differences. */
async function diffOf(args: readonly string[], place: GitOptions): Promise<string> {
  const output = await runGit(args, place);
  if (output.exitCode > 1) throw gitFailure(args, place.cwd, output);
  return output.stdout;
}
