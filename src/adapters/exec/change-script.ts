import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { FileChange } from '../../base/environment.ts';
import { type FileStep, stepsOf, type WriteStep } from '../../exec/files/steps.ts';
import { quoteArgv } from '../../shell/quote.ts';

/**
 * Functions of the script. The number of a step is the first argument of each, and `p<number>` its path. Copies of old
 * files and all texts are in a folder of our own, `$own`. New texts are written next to the files and renamed. Exit code
 * 9 says that nothing was changed; the output is then the reason.
 */
const FUNCTIONS = `
undo= made=
trap 'rm -rf "$own"' EXIT
fail() {
  left='Nothing was changed.'
  for step in $undo; do
    number=\${step#?}
    eval "path=\\$p$number"
    case $step in
      n*) rm -f "$path" ;;
      k*) cp -pP "$own/$number.kept" "$path" ;;
    esac || left="$path could not be restored."
  done
  for number in $made; do
    eval "rmdir \\"\\$d$number\\"" 2>/dev/null
  done
  printf '%s' "$1 $left\${2:+ }\${2-}"
  [ "$left" = 'Nothing was changed.' ] && exit 9
  exit 1
}
stale() { fail "$1" 'Read it again and make a new patch.'; }
folder() {
  eval "path=\\$d$1"
  [ -d "$path" ] || made="$made $1"
}
check() {
  eval "path=\\$p$1"
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then
    if [ "$3" = text ] || [ "$2" = remove ]; then stale "$path is no longer there."; fi
    return
  fi
  if [ "$3" = none ]; then stale "$path is there by now."; fi
  if [ -L "$path" ] && [ "$2" = remove ]; then return; fi
  if [ -d "$path" ]; then fail "$path is a folder."; fi
  if [ ! -f "$path" ]; then fail "$path is not a regular file."; fi
  if [ "$2" = write ] && [ ! -w "$path" ]; then fail "$path could not be changed: permission denied."; fi
  if [ "$3" = any ] || cmp -s "$own/$1.old" "$path"; then return; fi
  if printf '\\357\\273\\277' | cat - "$own/$1.old" | cmp -s - "$path"; then : >"$own/$1.bom"; return; fi
  stale "$path has changed since it was read."
}
keep() {
  eval "path=\\$p$1"
  cp -pP "$path" "$own/$1.kept" || fail "$path could not be copied."
}
remove() {
  keep "$1"
  undo="k$1 $undo"
  rm -f "$path" || fail "$path could not be removed."
}
write() {
  eval "path=\\$p$1"
  parent=\${path%/*}
  mkdir -p "$parent/" || fail "The folder of $path could not be made."
  if [ -e "$path" ]; then keep "$1"; undo="k$1 $undo"; else undo="n$1 $undo"; fi
  if [ -e "$own/$2.bom" ]; then
    { printf '\\357\\273\\277'; cat "$own/$1.new"; } >"$own/$1.text" || fail "$path could not be written."
  else
    mv "$own/$1.new" "$own/$1.text" || fail "$path could not be written."
  fi
  staged=$parent/.oxbow-\${own##*/}-$1
  if [ -e "$own/$2.kept" ]; then cp -p "$own/$2.kept" "$staged"; else : >"$staged"; fi &&
    cat "$own/$1.text" >"$staged" && mv -f "$staged" "$path" && return
  rm -f "$staged"
  # A file that is mounted on its own, or in a folder that cannot be written to, can only be overwritten.
  cat "$own/$1.text" >"$path" || fail "$path could not be written."
}`;

/**
 * Returns a script that changes all of the files or none. It is one unit, so that a part of it, if the connection ends,
 * changes nothing.
 */
export function changeScript(changes: readonly FileChange[]): string {
  const steps = stepsOf(changes);
  const folders = foldersOf(steps);
  const lines = [
    `own=\${TMPDIR:-/tmp}/oxbow-${randomUUID()}`,
    FUNCTIONS,
    '(umask 077; mkdir "$own") || fail "The folder for temporary files cannot be written to."',
    ...steps.map(({ path }, index) => `p${index}=${quoteArgv([path])}`),
    ...folders.map((path, index) => `d${index}=${quoteArgv([path])}`),
    ...steps.flatMap(textLines),
    ...folders.map((_, index) => `folder ${index}`),
    ...steps.map((step, index) => `check ${index} ${step.type} ${expectationOf(step)}`),
    ...steps.flatMap((step, index) => (step.type === 'remove' ? [`remove ${index}`] : [])),
    ...steps.flatMap((step, index) =>
      step.type === 'write' ? [`write ${index} ${sourceOf(step, index, steps)}`] : [],
    ),
  ];
  return `main() {\n${lines.join('\n')}\n}\nmain 2>&1`;
}

/** Returns the folders that may have to be made, deepest first. */
function foldersOf(steps: readonly FileStep[]): string[] {
  const folders = new Set<string>();
  for (const { type, path } of steps) {
    for (let at = dirname(path); type === 'write' && at !== dirname(at); at = dirname(at)) folders.add(at);
  }
  return [...folders].sort((a, b) => b.length - a.length);
}

function textLines(step: FileStep, index: number): string[] {
  const old = typeof step.expected === 'string' ? [textLine(step.expected, `${index}.old`)] : [];
  return step.type === 'write' ? [...old, textLine(step.text, `${index}.new`)] : old;
}

/** Returns a line that writes a text to a file. A word of a shell cannot hold a zero byte. */
function textLine(text: string, name: string): string {
  const pieces = text.split('\0').map((piece) => `printf %s ${quoteArgv([piece])}`);
  return `{ ${pieces.join("; printf '\\000'; ")}; } >"$own/${name}"`;
}

function expectationOf({ expected }: FileStep): 'text' | 'none' | 'any' {
  if (expected === null) return 'none';
  return expected === undefined ? 'any' : 'text';
}

/** Returns the step whose file a written file is like: the file that moves, or the file that was there. */
function sourceOf({ from }: WriteStep, index: number, steps: readonly FileStep[]): number {
  return from === undefined ? index : steps.findIndex((step) => step.type === 'remove' && step.path === from);
}
