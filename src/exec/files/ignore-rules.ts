/** Rules of an ignore file, for the folder that it is in. */
export interface IgnoreRules {
  /** Reports whether a path below the folder is ignored. Undefined: no rule is about it. */
  decide(path: string, isFolder: boolean): boolean | undefined;
}

interface IgnoreRule {
  readonly pattern: RegExp;
  readonly isForFolders: boolean;
  readonly ignores: boolean;
}

/** Reads a `.gitignore` or `.ignore` file. A line that makes no sense is skipped. */
export function readIgnoreRules(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap(ruleOf);
  return {
    decide(path, isFolder) {
      // The last rule that matches counts.
      return rules.findLast(({ pattern, isForFolders }) => (isFolder || !isForFolders) && pattern.test(path))?.ignores;
    },
  };
}

function ruleOf(line: string): IgnoreRule[] {
  const trimmed = line.replace(/(?<!\\) +$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return [];
  const ignores = !trimmed.startsWith('!');
  const glob = trimmed.slice(ignores ? 0 : 1);
  const bare = glob.replace(/\/$/, '');
  // A slash inside the glob binds it to the folder of the file.
  const isBound = bare.includes('/');
  const source = sourceOf(bare.replace(/^\//, ''));
  const pattern = source === undefined ? undefined : compiled(`^${isBound ? '' : '(?:.*/)?'}${source}$`);
  return pattern === undefined ? [] : [{ pattern, isForFolders: glob.endsWith('/'), ignores }];
}

const PARTS = /\\(.)|(^|\/)\*\*(?=\/|$)\/?|(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|(.)/gs;

/** Stars of a glob. With more of them a hostile file could keep the regular expression busy, so the rule is left out. */
const MOST_STARS = 3;

/** Returns a glob as the source of a regular expression. */
function sourceOf(glob: string): string | undefined {
  if (glob === '' || (glob.match(/\*+/g)?.length ?? 0) > MOST_STARS) return undefined;
  return glob.replace(PARTS, (found, escaped, folders, stars, one, not, set, plain) => {
    if (escaped !== undefined) return literal(String(escaped));
    if (folders !== undefined) return found.endsWith('/') ? `${folders}(?:.*/)?` : `${folders}.*`;
    if (stars !== undefined) return '[^/]*';
    if (one !== undefined) return '[^/]';
    if (set !== undefined) return `[${not ? '^/' : ''}${String(set).replace(/[[\]\\^]/g, '\\$&')}]`;
    return literal(String(plain));
  });
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 's');
  } catch {
    return undefined;
  }
}
