import { describe, expect, test } from 'vitest';
import type { CommandAction } from '../base/action.ts';
import type { Policy, PrefixRule, RuleDecision } from '../base/policy.ts';
import { examineCommand } from './examine-command.ts';

const rule = (words: string, decision: RuleDecision): PrefixRule => ({ pattern: words.split(' '), decision });
const examine = (script: string | readonly string[], rules: PrefixRule[] = [], prefixRule?: readonly string[]) => {
  const action: CommandAction = {
    kind: 'command',
    argv: typeof script === 'string' ? ['/bin/bash', '-c', script] : script,
    cwd: '/w',
    login: true,
    escalate: true,
    ...(prefixRule ? { prefixRule } : {}),
    yieldMs: 1,
  };
  const policy: Policy = {
    approval: 'on-request',
    sandbox: { mode: 'workspace-write', writableRoots: ['/w'], network: false },
    rules,
  };
  return examineCommand(action, policy);
};

describe('reading', () => {
  test.each(['ls -la', 'cat a | wc -l', 'pwd && head a', ['cat', 'x']])('%j only reads', (script) => {
    expect(examine(script).readOnly).toBe(true);
  });

  test.each(['touch x', 'ls > x', 'ls; touch x', 'cat $(touch x)', 'ls & rm x', '', 'if true; then ls; fi'])(
    '%j is not known to only read',
    (script) => {
      expect(examine(script).readOnly).toBe(false);
    },
  );
});

describe('rules', () => {
  test('every part must be allowed', () => {
    const rules = [rule('npm install', 'allow'), rule('cd', 'allow')];
    expect(examine('cd a && npm install', rules).allowed).toBe(true);
    expect(examine('cd a && npm install && touch x', rules).allowed).toBe(false);
    expect(examine('npm install $(touch x)', rules).allowed).toBe(false);
    expect(examine('npm install > log', rules).allowed).toBe(false);
    expect(examine('PATH=/evil npm install', rules).allowed).toBe(false);
    expect(examine('/tmp/npm install', rules).allowed).toBe(false);
  });

  test('the strictest rule about any part is the one that counts', () => {
    const rules = [rule('git', 'allow'), rule('git push', 'prompt'), rule('git push --force', 'forbidden')];
    expect(examine('git status', rules)).toMatchObject({ allowed: true });
    expect(examine('git status', rules).rule).toBeUndefined();
    expect(examine('git status && git push', rules)).toMatchObject({ allowed: false, rule: { decision: 'prompt' } });
    expect(examine('git push; git push --force', rules).rule?.decision).toBe('forbidden');
  });

  test.each([
    'git push > log',
    'echo $(git push)',
    'if true; then git push; fi',
    'x=`git push`',
    '(git push)',
    'sudo git push',
    'env A=1 git push',
    'find . -exec git push ;',
    "g'i't push > log",
    '/opt/git push',
    'for x in 1; do\n git  push\ndone',
  ])('a forbidden command is found in %j', (script) => {
    expect(examine(script, [rule('git push', 'forbidden')]).rule?.decision).toBe('forbidden');
  });

  test('an allowed command does not count where it only seems to stand', () => {
    for (const script of ['echo $(git push)', 'sudo git push', '(git push)'])
      expect(examine(script, [rule('git push', 'allow')]).allowed).toBe(false);
  });
});

describe('danger', () => {
  test.each(['rm -rf x', 'ls && rm -f x', 'echo $(rm -rf x)', ['rm', '-rf', 'x'], "echo 'rm -rf x' | sh"])(
    'is seen in %j',
    (script) => {
      expect(examine(script).danger).toMatch(/rm -f/);
    },
  );

  test('is not looked for in commands that a rule allows', () => {
    const rules = [rule('rm -rf build', 'allow'), rule('ls', 'allow')];
    expect(examine('rm -rf build', rules)).toEqual({ readOnly: false, allowed: true });
    expect(examine('ls && rm -rf build', rules).danger).toBeUndefined();
    expect(examine('ls && rm -rf src', rules).danger).toMatch(/rm -f/);
  });
});

describe('the prefix that may be allowed for good', () => {
  test('is the one that the model proposes, if it covers all commands to ask about', () => {
    expect(examine('npm install left-pad', [], ['npm', 'install']).prefix).toEqual(['npm', 'install']);
    expect(examine('npm install && npm install x', [], ['npm', 'install']).prefix).toEqual(['npm', 'install']);
    const rules = [rule('cd', 'allow')];
    expect(examine('cd a && npm install', rules, ['npm', 'install']).prefix).toEqual(['npm', 'install']);
    expect(examine('npm install && curl x', [], ['npm', 'install']).prefix).toBeUndefined();
  });

  test('is otherwise the only command to ask about', () => {
    expect(examine('git fetch origin').prefix).toEqual(['git', 'fetch', 'origin']);
    expect(examine('git fetch origin', [], ['wget']).prefix).toEqual(['git', 'fetch', 'origin']);
    expect(examine('git fetch origin && npm install').prefix).toBeUndefined();
    expect(examine('curl https://x.org').prefix).toBeUndefined();
  });

  test.each([
    ['bash x.sh', ['bash']],
    ['sudo ls', ['sudo']],
    ['python3 x.py', ['python3']],
    ['git push', ['git']],
    ['npm run evil', ['npm', 'run']],
    ['rm x', ['rm']],
    ['curl x', []],
  ])('is not one that would allow anything: %s as %j', (script, prefix) => {
    expect(examine(script, [], prefix).prefix).not.toEqual(prefix);
  });

  test('is absent if the command is dangerous, cannot be split or does not fit on a line', () => {
    expect(examine('rm -rf x', [], ['rm', '-rf', 'x']).prefix).toBeUndefined();
    expect(examine('npm install > log', [], ['npm', 'install']).prefix).toBeUndefined();
    expect(examine(['npm', 'install', 'a\nb']).prefix).toBeUndefined();
    expect(examine(['npm', 'install', '\u2028']).prefix).toBeUndefined();
    expect(examine(['npm', 'install', 'a\u202e']).prefix).toBeUndefined();
  });
});
