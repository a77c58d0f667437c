import { isSecretVariable } from '../../base/secret-variable.ts';

/** Policy for the variables of commands: `shell_environment_policy` in config.toml. */
export interface ShellEnvironmentPolicy {
  readonly inherit: 'all' | 'core' | 'none';
  /** Whether variables that look like credentials are kept. */
  readonly ignoreDefaultExcludes: boolean;
  /** Patterns of variables that are kept although they look like credentials, or are `secret`. */
  readonly keep?: readonly string[];
  /** Names of variables that hold credentials under any name. */
  readonly secret?: readonly string[];
  /** Patterns with `*` and `?`, as in `keep` and `includeOnly`. Case does not matter. */
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** Patterns of the only variables that are kept, variables of `set` included. Empty: all variables are kept. */
  readonly includeOnly: readonly string[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Facts about a command that its variables tell it. */
export interface CommandFacts {
  readonly threadId: string;
  readonly callId: string;
  readonly version: string;
  readonly networkOff: boolean;
  /** Our own programs. The command finds them after all others. */
  readonly commands?: OwnCommands;
}

/** Our own programs for the commands of the model, with the Node that runs them. */
export interface OwnCommands {
  /** Folder of the programs. */
  readonly folder: string;
  /** Absolute path of a Node: the Node of a project may be too old for the programs. */
  readonly node: string;
}

const CORE = 'PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' ');

/**
 * Git fails on GIT_CONFIG_COUNT without its keys, which look like credentials, so all parts of these settings are
 * withheld.
 */
const GIT_SETTINGS = /^GIT_CONFIG_(?:COUNT|VALUE_.*)$/i;

/** Variables for output without colours or pagers, in UTF-8, since the reader is not a terminal. */
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

/**
 * Returns the environment of a command: the variables that the policy let through, then those that every command gets.
 */
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

/**
 * Returns the variables by which a command finds our own programs; none without a PATH, which would then consist of our
 * folder alone.
 */
export function ownCommands(
  { PATH }: Readonly<Record<string, string>>,
  { folder, node }: OwnCommands,
): Record<string, string> {
  return PATH === undefined || PATH === '' ? {} : { PATH: `${PATH}:${folder}`, OXBOW_NODE: node };
}

/** Returns the variables that the policy lets through. */
export function filterEnvironment(inherited: Variables, policy: ShellEnvironmentPolicy): Record<string, string> {
  const isWithheld = withholder(policy);
  const excluded = matcher(policy.exclude);
  const included = policy.includeOnly.length === 0 ? () => true : matcher(policy.includeOnly);
  const isKept = (entry: [string, string | undefined]): entry is [string, string] => {
    const [name, value] = entry;
    return value !== undefined && isInherited(name, policy.inherit) && !isWithheld(name, value) && !excluded(name);
  };
  const all = [...Object.entries(inherited).filter(isKept), ...Object.entries(policy.set)];
  // Unlike an assignment, this also sets a variable called __proto__.
  return Object.fromEntries(all.filter(([name]) => included(name)));
}

/** Returns the names of the variables that commands do not get because they look like credentials, sorted. */
export function withheldVariables(inherited: Variables, policy: ShellEnvironmentPolicy): string[] {
  const isWithheld = withholder(policy);
  return Object.entries(inherited)
    .filter(([name, value]) => value !== undefined && isInherited(name, policy.inherit) && isWithheld(name, value))
    .map(([name]) => name)
    .sort();
}

function withholder({
  ignoreDefaultExcludes,
  keep = [],
  secret = [],
}: ShellEnvironmentPolicy): (name: string, value: string) => boolean {
  if (ignoreDefaultExcludes) return () => false;
  const kept = matcher(keep);
  const known = matcher(secret);
  return (name, value) => (isSecretVariable(name, value) || known(name) || GIT_SETTINGS.test(name)) && !kept(name);
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
