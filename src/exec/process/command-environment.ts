/** Which variables a command gets: the `shell_environment_policy` of the config. */
export interface ShellEnvironmentPolicy {
  readonly inherit: 'all' | 'core' | 'none';
  /** Whether variables that look like secrets are kept. */
  readonly ignoreDefaultExcludes: boolean;
  /** Patterns with `*` and `?`, whatever the case, as in `includeOnly`. */
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** Unless empty, nothing else is kept, not even what was set. */
  readonly includeOnly: readonly string[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** What a command is told of where it runs. */
export interface CommandFacts {
  readonly threadId: string;
  readonly callId: string;
  readonly version: string;
  readonly networkOff: boolean;
  /** Programs of ours that it finds after all others. */
  readonly commands?: OwnCommands;
}

/** Programs of ours for the commands of the model, and what runs them. */
export interface OwnCommands {
  /** The folder that they lie in. */
  readonly folder: string;
  /** A Node, as an absolute path: the one that a project brings along may be too old for them. */
  readonly node: string;
}

const CORE = 'PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' ');

/** Settings of git by variables go whole or not at all: git fails on a count without its keys. */
const DEFAULT_EXCLUDES = ['*KEY*', '*SECRET*', '*TOKEN*', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_VALUE_*'];

/** Output for a reader that is no terminal: no colours, no pagers, UTF-8. */
const PLAIN_OUTPUT = {
  NO_COLOR: '1',
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  COLORTERM: '',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  CODEX_CI: '1',
};

/** The environment of a command: what the policy let through, then what every command gets. */
export function commandEnvironment(
  passed: Readonly<Record<string, string>>,
  facts: CommandFacts,
): Record<string, string> {
  return {
    ...passed,
    ...(facts.commands ? ownCommands(passed, facts.commands) : {}),
    ...PLAIN_OUTPUT,
    CODEX_THREAD_ID: facts.threadId,
    CODEX_SESSION_ID: facts.threadId,
    CODEX_TOOL_CALL_ID: facts.callId,
    CODEX_VERSION: facts.version,
    ...(facts.networkOff ? { CODEX_SANDBOX_NETWORK_DISABLED: '1' } : {}),
  };
}

/** The variables by which a command finds programs of ours. Without a path of its own it would find nothing else. */
export function ownCommands(
  { PATH }: Readonly<Record<string, string>>,
  { folder, node }: OwnCommands,
): Record<string, string> {
  return PATH === undefined || PATH === '' ? {} : { PATH: `${PATH}:${folder}`, OXBOW_NODE: node };
}

/** What the policy lets through. */
export function filterEnvironment(inherited: Variables, policy: ShellEnvironmentPolicy): Record<string, string> {
  const excluded = matcher([...(policy.ignoreDefaultExcludes ? [] : DEFAULT_EXCLUDES), ...policy.exclude]);
  const included = policy.includeOnly.length === 0 ? () => true : matcher(policy.includeOnly);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && isInherited(name, policy.inherit) && !excluded(name)) kept[name] = value;
  }
  return Object.fromEntries(Object.entries({ ...kept, ...policy.set }).filter(([name]) => included(name)));
}

function isInherited(name: string, inherit: ShellEnvironmentPolicy['inherit']): boolean {
  return inherit === 'all' || (inherit === 'core' && CORE.includes(name.toUpperCase()));
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(toExpression);
  return (name) => expressions.some((expression) => expression.test(name));
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'is');
}
