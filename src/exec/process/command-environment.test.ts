import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import {
  commandEnvironment,
  filterEnvironment,
  type ShellEnvironmentPolicy,
  withheldVariables,
} from './command-environment.ts';

const ALL: ShellEnvironmentPolicy = {
  inherit: 'all',
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
};

const variables = {
  PATH: '/bin',
  HOME: '/home/u',
  EDITOR: 'vi',
  Api_Key: '1',
  MY_TOKEN_2: '2',
  SECRETS: '3',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  UNSET: undefined,
};

test.each<[string, Partial<ShellEnvironmentPolicy>, string[]]>([
  ['all', {}, ['PATH', 'HOME', 'EDITOR', 'Api_Key', 'MY_TOKEN_2', 'SECRETS', 'NODE_EXTRA_CA_CERTS']],
  ['all but secrets', { ignoreDefaultExcludes: false }, ['PATH', 'HOME', 'EDITOR', 'NODE_EXTRA_CA_CERTS']],
  [
    'secrets that are exceptions',
    { ignoreDefaultExcludes: false, keep: ['my_*'], secret: ['EDITOR', 'HOME'], includeOnly: ['M*', 'E*', 'H*', 'S*'] },
    ['MY_TOKEN_2'],
  ],
  ['no exceptions that are excluded', { ignoreDefaultExcludes: false, keep: ['*'], exclude: ['*'] }, []],
  ['the core', { inherit: 'core' }, ['PATH', 'HOME']],
  ['nothing', { inherit: 'none' }, []],
  ['names that are not excluded', { inherit: 'core', exclude: ['pa?h'] }, ['HOME']],
  [
    'variables that were set, although their names are excluded',
    { inherit: 'none', exclude: ['X'], set: { X: '1' } },
    ['X'],
  ],
  [
    'only included names, even of variables that were set',
    { includeOnly: ['*e', 'e*r'], set: { X: '1' } },
    ['HOME', 'EDITOR'],
  ],
  ['names by patterns whose other characters are literal', { includeOnly: ['P.TH', 'HOME|PATH', '[EDITOR'] }, []],
])('a policy lets through %s', (_, policy, names) => {
  expect(Object.keys(filterEnvironment(variables, { ...ALL, ...policy }))).toEqual(names);
});

test('every command gets the fixed variables, whatever the policy', () => {
  const policy = { ...ALL, set: { TERM: 'xterm', A: 'b' }, includeOnly: ['A', 'TERM'] };
  const facts = { threadId: 'th', callId: 'call', version: '1.2.3', networkOff: false };
  expect(commandEnvironment(filterEnvironment(variables, policy), facts)).toEqual({
    A: 'b',
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
    CODEX_THREAD_ID: 'th',
    CODEX_SESSION_ID: 'th',
    CODEX_TOOL_CALL_ID: 'call',
    CODEX_VERSION: '1.2.3',
  });
  expect(commandEnvironment({}, { ...facts, networkOff: true }).CODEX_SANDBOX_NETWORK_DISABLED).toBe('1');
});

test('git settings in variables are left out as a whole, since git fails on a count without its keys', () => {
  const inherited = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_EDITOR: 'vi',
  };
  const policy = { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] } as const;
  expect(filterEnvironment(inherited, policy)).toEqual({ GIT_EDITOR: 'vi' });
  expect(filterEnvironment(inherited, { ...policy, ignoreDefaultExcludes: true })).toEqual(inherited);
});

test('every inherited variable is either passed or withheld', () => {
  const name = fc.oneof(
    fc.constantFrom('PATH', 'DB_PASSWORD', 'MY_PAT', 'GIT_AUTHOR_NAME', 'SSH_AUTH_SOCK'),
    fc.string(),
  );
  const value = fc.oneof(fc.string(), fc.constant('postgres://a:b@c'));
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), fc.array(name), (env, keep) => {
      const policy = { ...ALL, ignoreDefaultExcludes: false, keep };
      const passed = Object.keys(filterEnvironment(env, policy));
      const all = [...passed, ...withheldVariables(env, policy)];
      expect(new Set(all)).toEqual(new Set(Object.keys(env)));
      expect(all).toHaveLength(Object.keys(env).length);
    }),
    { numRuns: runs(500) },
  );
});
