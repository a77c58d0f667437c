import { posix } from 'node:path';
import type { FileChange, Files } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import { isDenied } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { SIZE_LIMIT } from '../../exec/files/read-opened.ts';
import { systemError } from '../../exec/files/system-error.ts';
import { changeScript } from './change-script.ts';
import type { Exec } from './exec-process.ts';
import type { FarPaths } from './far-paths.ts';
import { runScript } from './start-script.ts';

/** Prints the path that a path leads to, with a mark at its end, since names may end with a newline. */
const LOCATE_SCRIPT = `path=$1 rest= links=40
while :; do
  name=\${path##*/} parent=\${path%/*}
  if [ -L "$path" ]; then
    [ $links -gt 0 ] || exit 5
    links=$((links - 1))
    target=$(readlink "$path")
    case $target in /*) path=$target ;; *) path=$parent/$target ;; esac
  elif [ -d "$path/" ]; then
    cd "$path/" || exit 3
    here=$(pwd -P)
    printf '%s%s' "\${here%/}" "$rest"
    exit 0
  else
    rest=/$name$rest path=$parent
  fi
done`;

const READ_SCRIPT = `[ -e "$1" ] || exit 2
[ ! -d "$1" ] || exit 4
[ -f "$1" ] || exit 6
[ -r "$1" ] || exit 3
[ "$(wc -c <"$1")" -le ${SIZE_LIMIT} ] || exit 7
exec cat "$1"`;

/** Compares a file with the index without filters, which would be programs of the repository. */
const GIT_SCRIPT = `exec 2>/dev/null
cd "\${1%/*}/" || exit 1
GIT_LITERAL_PATHSPECS=1 GIT_NO_REPLACE_OBJECTS=1
export GIT_LITERAL_PATHSPECS GIT_NO_REPLACE_OBJECTS
entry=$(git -c core.fsmonitor=false ls-files --stage -- "\${1##*/}") || exit 1
id=$(git hash-object --no-filters "$1") || exit 1
case $entry in "100644 $id 0"*|"100755 $id 0"*) git cat-file -e "$id" ;; *) exit 1 ;; esac`;

/** Errors of the system by the exit codes of the scripts. */
const ERRORS: Readonly<Record<number, readonly [code: string, reason: string]>> = {
  2: ['ENOENT', 'no such file or directory'],
  3: ['EACCES', 'permission denied'],
  4: ['EISDIR', 'illegal operation on a directory'],
  5: ['ELOOP', 'too many symbolic links encountered'],
  6: ['EINVAL', 'it is not a regular file'],
  7: ['EFBIG', `it is larger than ${SIZE_LIMIT / 1024 / 1024} MB`],
};

/** Exit code of a change that was undone. Its output is the reason. */
const UNDONE = 9;

/** Returns the files of the far side. */
export function createFarFiles(exec: Exec, paths: FarPaths, policy: SandboxPolicy): Files {
  const run = async (script: string, path: string) => {
    const { exitCode, output } = await runScript(exec, { script, args: [paths.toFar(posix.resolve('/', path))] });
    const error = ERRORS[exitCode];
    if (error) throw systemError(...error, path);
    if (exitCode !== 0) throw systemError('EIO', `the script ended with ${exitCode}`, path);
    return output;
  };
  const locate = async (path: string) => {
    const output = await run(LOCATE_SCRIPT, path);
    return paths.fromFar(posix.normalize(output.toString() || '/'));
  };
  return {
    locate,
    async read(path) {
      const located = await locate(path);
      if (isDenied(located, policy)) throw systemError('EACCES', 'permission denied by deny_read', path);
      return run(READ_SCRIPT, located);
    },
    isInGit: (path) =>
      run(GIT_SCRIPT, path).then(
        () => true,
        () => false,
      ),
    async change(changes) {
      const script = changeScript(changes.map((change) => farChange(change, paths)));
      const { exitCode, output } = await runScript(exec, { script: 'eval "$(cat)"', args: [] }, script);
      if (exitCode === UNDONE) throw new ToolFailure('execution', output.toString(), { effect: 'none' });
      if (exitCode !== 0) throw new ToolFailure('execution', `The files could not be changed: ${output.toString()}`);
    },
  };
}

function farChange({ path, to, before, after }: FileChange, { toFar }: FarPaths): FileChange {
  return { path: toFar(path), ...(to === undefined ? {} : { to: toFar(to) }), before, after };
}
