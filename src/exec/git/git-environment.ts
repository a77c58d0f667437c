import { filterEnvironment, type Variables } from '../process/command-environment.ts';

/** Variables that name a repository other than that of the working directory. Git sets them when it runs hooks. */
const REPOSITORY_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
];

const POLICY = {
  inherit: 'all',
  ignoreDefaultExcludes: false,
  exclude: [...REPOSITORY_VARIABLES, 'GIT_EXTERNAL_DIFF'],
  set: {},
  includeOnly: [],
} as const;

/**
 * Variables against questions and pagers, for messages that we can recognise, and against fetching: a repository could
 * name the program that fetches missing objects.
 */
const OWN = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  LC_ALL: 'C',
};

/** Returns the environment of our own git calls: the user's, without secrets and without the choice of a repository. */
export function gitEnvironment(
  inherited: Variables,
  settings: readonly (readonly [name: string, value: string])[] = [],
): Record<string, string> {
  const numbered = numberedSettings(inherited);
  return { ...filterEnvironment(inherited, POLICY), ...numbered, ...appended(numbered, settings), ...OWN };
}

/** Returns numbered variables for further settings. Unlike a flag, they have room for every name. */
function appended(
  { GIT_CONFIG_COUNT = '0' }: Readonly<Record<string, string>>,
  settings: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  if (settings.length === 0) return {};
  const first = Number(GIT_CONFIG_COUNT);
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + settings.length), ...Object.fromEntries(pairs) };
}

/** Returns settings in numbered variables. Commands of the model do not get them, but they are meant for git. */
function numberedSettings(inherited: Variables): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && /^GIT_CONFIG_(COUNT|(KEY|VALUE)_\d+)$/.test(name)) kept[name] = value;
  }
  return kept;
}
