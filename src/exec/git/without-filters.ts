import { UserError } from '../../base/errors.ts';
import { type GitOptions, gitFailure, runGit } from './git.ts';

/**
 * Returns options with which git runs no filter, since the filters of a repository are programs: files are then
 * compared and written as git stores them. The names come from git itself, in the folder in which it will run, because
 * a repository may include settings for some folders only.
 */
export async function withoutFilters(options: GitOptions): Promise<GitOptions> {
  const names = await filterNames(options);
  return { ...options, settings: [...(options.settings ?? []), ...names.flatMap(emptied)] };
}

/** Returns the names of the filters that are configured. */
export async function filterNames(options: GitOptions): Promise<string[]> {
  const args = ['config', '--null', '--name-only', '--get-regexp', '^filter\\..*\\.'];
  const parts: Buffer[] = [];
  const output = await runGit(args, { ...options, onStdout: (bytes) => parts.push(bytes) });
  // Git ends with 1 when nothing is configured.
  if (output.exitCode > 1) throw gitFailure(args, options.cwd, output);
  const names = decoded(Buffer.concat(parts), options.cwd)
    .split('\0')
    .map((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns the text. Throws `UserError` for bytes that are not text, which no variable could pass on. */
function decoded(bytes: Buffer, cwd: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError('unavailable', `The settings of git in ${cwd} name a filter that is not text.`, {
      cause: error,
    });
  }
}

function emptied(name: string): (readonly [string, string])[] {
  const settings = { clean: '', smudge: '', process: '', required: 'false' };
  return Object.entries(settings).map(([key, value]) => [`filter.${name}.${key}`, value]);
}
