import { FLAG, isStrings, oneOf, TEXT_MAP, TEXTS } from '../setting/kinds.ts';
import { FEWER, MORE, type ProjectLimit, strictestFirst } from '../setting/project-limit.ts';
import { setting, type ValuesOf } from '../setting/setting.ts';

/** An empty list keeps every variable. */
const FEWER_UNLESS_EMPTY: ProjectLimit = {
  stricter: 'any list where you have none, otherwise fewer than yours',
  allows: (value, below) =>
    !isStrings(value) || (isStrings(below) && below.length === 0) || (value.length > 0 && FEWER.allows(value, below)),
};

export const SHELL_ENVIRONMENT_SETTINGS = {
  /**
   * Whether commands get the environment of a login shell. `false`: no profile of your shell is run, and a call that asks
   * for a login shell is refused.
   */
  allowLoginShell: setting('allow_login_shell', FLAG, {
    default: true,
    projectLimit: strictestFirst(false, true),
  }),
  /** Variables that commands start with. `core`: only [a few](#variables-of-commands). */
  inherit: setting('shell_environment_policy.inherit', oneOf('all', 'core', 'none'), {
    default: 'all',
    projectLimit: strictestFirst('none', 'core', 'all'),
  }),
  /** Whether commands get variables that [look like credentials](#variables-of-commands). */
  ignoreDefaultExcludes: setting('shell_environment_policy.ignore_default_excludes', FLAG, { default: false }),
  /** Patterns of variables that commands get although they look like credentials, such as `["PGPASSWORD"]`. */
  keep: setting('shell_environment_policy.keep', TEXTS, { default: [] }),
  /** Patterns of variables to leave out. */
  exclude: setting('shell_environment_policy.exclude', TEXTS, { default: [], projectLimit: MORE }),
  /** Patterns of variables to keep. The others are left out. */
  includeOnly: setting('shell_environment_policy.include_only', TEXTS, {
    default: [],
    projectLimit: FEWER_UNLESS_EMPTY,
  }),
  /** Value of a variable. */
  set: setting('shell_environment_policy.set.*', TEXT_MAP, { default: {} }),
};

/** Variables that a command gets. */
export interface ShellEnvironmentSettings extends ValuesOf<typeof SHELL_ENVIRONMENT_SETTINGS> {}
