import type { CommandOptions } from './options.ts';

export interface Program extends CommandOptions {
  /** Reports whether these operands, among these words, are harmless. Absent: all operands are. */
  readonly operands?: (operands: readonly string[], words: readonly string[]) => boolean;
}

const none = (operands: readonly string[]) => operands.length === 0;
const isPattern = (word: string) => /[*?[]/.test(word);

const GREP: Program = {
  flags: 'EFGPabchHiIlLnoqrRsTvwx',
  valued: 'ABCDdefm',
  count: true,
  long: `after-context= basic-regexp before-context= binary-files= byte-offset color[=] colour[=] context= count
    dereference-recursive directories= exclude= exclude-dir= exclude-from= extended-regexp file= files-with-matches
    files-without-match fixed-strings ignore-case include= initial-tab invert-match label= line-number line-regexp
    max-count= no-filename no-ignore-case no-messages null only-matching perl-regexp quiet recursive regexp= silent text
    with-filename word-regexp`,
};

const CHECKSUM: Program = { flags: 'bctz', long: 'binary check ignore-missing quiet status strict tag text warn zero' };

/**
 * Programs that only read, with the options that keep it so. Left out on purpose: programs that run others (`env`,
 * `xargs`, `less`, `awk`), that set shell variables (`printf -v PATH`) or that a repository's own files can steer (`npm
 * --version`, `rustc --version`, most of git), and options that write or start something: `sort -o`, `-T`,
 * `--compress-program`, `base64 -o`, `date -s`, `diff -l`, `file -C`, `-z`, `rg --pre`, `--hostname-bin`, `-z`. A
 * temporary file of a running program (`sort`, `tac`) does not count as a change.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  base64: { flags: 'dDi', valued: 'w', long: 'decode ignore-garbage wrap=' },
  basename: { flags: 'az', valued: 's', long: 'multiple suffix= zero' },
  cat: {
    flags: 'AbeEnstTuv',
    long: 'number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank',
  },
  cd: { operands: (operands) => operands.length <= 1 },
  cmp: { flags: 'bls', valued: 'in', long: 'bytes= ignore-initial= print-bytes quiet silent verbose' },
  comm: { flags: '123z', long: 'check-order nocheck-order output-delimiter= total zero-terminated' },
  cut: {
    flags: 'nsz',
    valued: 'bcdf',
    long: 'bytes= characters= complement delimiter= fields= only-delimited output-delimiter= zero-terminated',
  },
  // The date of BSD sets the clock from an operand without a plus.
  date: { flags: 'u', long: 'utc universal', operands: (operands) => operands.every((word) => word.startsWith('+')) },
  df: { flags: 'ahHiklPT', long: 'all human-readable inodes local no-sync portability print-type si total' },
  diff: {
    flags: 'abBdeEiNpqrstTuwyZ',
    valued: 'CIUWx',
    long: `brief color[=] context[=] exclude= ignore-all-space ignore-blank-lines ignore-case ignore-matching-lines=
      ignore-space-change ignore-trailing-space minimal new-file no-dereference recursive report-identical-files
      show-c-function side-by-side speed-large-files strip-trailing-cr suppress-common-lines text unified[=] width=`,
  },
  dirname: { flags: 'z', long: 'zero' },
  du: {
    flags: '0abcDhHklLmPsSx',
    valued: 'Bdt',
    long: `all apparent-size block-size= bytes count-links dereference exclude= human-readable inodes max-depth=
      no-dereference null one-file-system separate-dirs si summarize threshold= total`,
  },
  egrep: GREP,
  fgrep: GREP,
  file: { flags: 'bhiLN', long: 'brief dereference mime mime-encoding mime-type no-dereference' },
  grep: GREP,
  head: { flags: 'qvz', valued: 'cn', count: true, long: 'bytes= lines= quiet silent verbose zero-terminated' },
  hostname: { operands: none },
  id: { flags: 'aGgnruz', long: 'group groups name real user zero' },
  ls: {
    flags: '1AaBbCcdFfGgHhikLlmNnopQqRrSstUuvXxZ',
    valued: 'ITw',
    long: `all almost-all author block-size= classify[=] color[=] context dereference dereference-command-line directory
      escape file-type format= full-time group-directories-first hide= hide-control-chars human-readable hyperlink[=]
      ignore-backups ignore= indicator-style= inode kibibytes literal no-group numeric-uid-gid quote-name
      quoting-style= recursive reverse show-control-chars si size sort= tabsize= time-style= time= width= zero`,
  },
  md5sum: CHECKSUM,
  nl: {
    flags: 'p',
    valued: 'bdfhilnsvw',
    long: `body-numbering= footer-numbering= header-numbering= join-blank-lines= line-increment= no-renumber
      number-format= number-separator= number-width= section-delimiter= starting-line-number=`,
  },
  nproc: { long: 'all ignore=' },
  numfmt: {
    flags: 'z',
    valued: 'd',
    long: `delimiter= field= format= from-unit= from= grouping header[=] invalid= padding= round= suffix= to-unit= to=
      zero-terminated`,
  },
  paste: { flags: 'sz', valued: 'd', long: 'delimiters= serial zero-terminated' },
  pwd: { flags: 'LP', long: 'logical physical', operands: none },
  readlink: { flags: 'efmnqsvz', long: 'canonicalize canonicalize-existing canonicalize-missing no-newline zero' },
  realpath: {
    flags: 'eLmPqsz',
    long: `canonicalize-existing canonicalize-missing logical no-symlinks physical quiet relative-base= relative-to=
      strip zero`,
  },
  rev: {},
  rg: {
    flags: '.0abcFhHiIlLnNopPqsSuUvwxV',
    valued: 'ABCdefgjmMrtT',
    long: `after-context= before-context= binary block-buffered byte-offset case-sensitive color= colors= column context=
      context-separator= count count-matches crlf debug encoding= files files-with-matches files-without-match
      fixed-strings follow glob-case-insensitive glob= heading help hidden iglob= ignore-case ignore-file= invert-match
      json line-buffered line-number line-regexp max-columns-preview max-columns= max-count= max-depth= max-filesize=
      multiline multiline-dotall no-column no-config no-filename no-heading no-hidden no-ignore no-ignore-dot
      no-ignore-exclude no-ignore-files no-ignore-global no-ignore-parent no-ignore-vcs no-line-number no-messages
      no-mmap no-require-git null null-data one-file-system only-matching passthru path-separator= pcre2 pretty quiet
      regexp= replace= smart-case sort= sortr= stats text threads= trim type-list type-not= type= unrestricted version
      vimgrep with-filename word-regexp`,
  },
  seq: { flags: 'w', valued: 'fs', count: true, long: 'equal-width format= separator=' },
  sha1sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sort: {
    flags: 'bcCdfghimMnrRsuVz',
    valued: 'kSt',
    long: `buffer-size= check[=] dictionary-order field-separator= general-numeric-sort human-numeric-sort ignore-case
      ignore-leading-blanks ignore-nonprinting key= merge month-sort numeric-sort parallel= random-sort reverse sort=
      stable unique version-sort zero-terminated`,
  },
  stat: { flags: 'fLtx', valued: 'c', long: 'dereference file-system format= printf= terse' },
  tac: { flags: 'br', valued: 's', long: 'before regex separator=' },
  tail: {
    flags: 'fFqrvz',
    valued: 'cns',
    count: true,
    long: 'bytes= follow[=] lines= quiet retry silent sleep-interval= verbose zero-terminated',
  },
  tr: { flags: 'cCdst', long: 'complement delete squeeze-repeats truncate-set1' },
  uname: {
    flags: 'aimnoprsv',
    long: `all hardware-platform kernel-name kernel-release kernel-version machine nodename operating-system processor`,
    operands: none,
  },
  // The second operand is a file to write, and a pattern may become two operands, or an option's value and one operand.
  uniq: {
    flags: 'cdiuz',
    valued: 'fsw',
    long: 'check-chars= count ignore-case repeated skip-chars= skip-fields= unique zero-terminated',
    operands: (operands, words) => operands.length <= 1 && !words.some(isPattern),
  },
  wc: { flags: 'clLmw', long: 'bytes chars files0-from= lines max-line-length total= words' },
  which: { flags: 'as', long: 'all' },
  whoami: { operands: none },
};
