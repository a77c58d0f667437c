import { readOperands } from './options.ts';

const REV_PARSE = {
  long: `abbrev-ref git-common-dir git-dir is-bare-repository is-inside-git-dir is-inside-work-tree short show-cdup
    show-prefix show-toplevel symbolic-full-name verify`,
};

/**
 * Reports whether a git command with these words only reads. Few do, because git runs programs that the configuration
 * of a repository names. A folder that was unpacked, or written by the model itself, brings its own configuration:
 *
 * - `status`, `diff`, `ls-files`, `grep`, `blame`, `check-ignore` start `core.fsmonitor`. `status` writes the index and
 *   runs the hook `post-index-change`; `diff` runs filters, external diffs and textconv.
 * - `log`, `show`, `describe`, `for-each-ref`, `cat-file`, or a revision like `HEAD~2` read objects. Git fetches
 *   missing objects from a promisor remote, and the repository names its program (`remote.*.uploadpack`). `log` and
 *   `show` can also run `gpg.program` and textconv.
 * - `branch --list`, `tag`, `log`, `diff`, `remote`, `symbolic-ref`: at a terminal, `core.pager` or `pager.*`.
 *
 * Options before the subcommand (`-c`, `-C`, `--exec-path`, `--git-dir`) always count as unknown. A user who trusts a
 * repository has rules for the rest.
 */
export function isReadingGit([subcommand, ...words]: readonly string[]): boolean {
  if (subcommand === '--version') return words.length === 0;
  if (subcommand === 'branch') return words.length === 1 && words[0] === '--show-current';
  if (subcommand !== 'rev-parse') return false;
  const operands = readOperands(words, REV_PARSE);
  return operands !== undefined && operands.length <= 1 && operands.every((word) => word === 'HEAD');
}
