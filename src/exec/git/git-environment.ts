import { filterEnvironment, type Variables } from '../process/command-environment.ts';

/** Variables that name another repository than the one of the working directory. Git sets them where it runs hooks. */
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

/** No questions, no pager, and messages that we can recognise. */
const OWN = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat', LC_ALL: 'C' };

/** The environment of our own git calls: that of the user, without secrets and without a word on which repository. */
export function gitEnvironment(inherited: Variables): Record<string, string> {
  return { ...filterEnvironment(inherited, POLICY), ...numberedSettings(inherited), ...OWN };
}

/** Settings in numbered variables. Commands of the model do not get them; git itself is who they are meant for. */
function numberedSettings(inherited: Variables): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && /^GIT_CONFIG_(COUNT|(KEY|VALUE)_\d+)$/.test(name)) kept[name] = value;
  }
  return kept;
}
