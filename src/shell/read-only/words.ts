/**
 * Programs with a grammar of their own instead of options, each with a function that reports whether these words only
 * read.
 */
export const WORD_CHECKS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  ':': anything,
  '[': (words) => words.at(-1) === ']' && isFileTest(words.slice(0, -1)),
  command: ([option, ...names]) => option === '-v' && names.length > 0 && names.every(isNoOption),
  echo: anything,
  expr: anything,
  false: anything,
  find: isSearch,
  sed: ([option, script = '', ...files]) =>
    option === '-n' && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script) && files.every(isNoOption),
  test: isFileTest,
  true: anything,
  type: (names) => names.every(isNoOption),
};

function anything(): boolean {
  return true;
}

function isNoOption(word: string): boolean {
  return !word.startsWith('-');
}

/**
 * Reports whether the words are a test of a file or a text. No other test is accepted: `-v` and `-eq` evaluate their
 * words, which in bash and zsh can start a program.
 */
function isFileTest(words: readonly string[]): boolean {
  const [test = '', file, ...rest] = words[0] === '!' ? words.slice(1) : words;
  return /^-[defhLrswxnz]$/.test(test) && file !== undefined && rest.length === 0;
}

const FIND_ALONE: ReadonlySet<string> = new Set(
  `-H -L -P -a -and -daystart -depth -empty -executable -false -follow -ls -mount -nogroup -noleaf -not -nouser -o -or
  -print -print0 -prune -quit -readable -true -writable -xdev ! ( ) ,`.split(/\s+/),
);

const FIND_WITH_VALUE: ReadonlySet<string> = new Set(
  `-amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links
  -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -printf -regex -regextype -samefile -size -type -uid
  -user -wholename -xtype`.split(/\s+/),
);

/**
 * Reports whether a find only searches: without `-exec`, `-ok`, `-delete`, `-fprint` and any option that is not known.
 */
function isSearch(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (FIND_ALONE.has(word)) continue;
    if (FIND_WITH_VALUE.has(word) || /^-newer[aBcm][aBcmt]$/.test(word)) {
      at++;
      if (!/^(?:[^-]|-\d|$)/.test(words[at] ?? '-')) return false;
    } else if (word.startsWith('-')) return false;
  }
  return true;
}
