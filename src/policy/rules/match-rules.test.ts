import { describe, expect, test } from 'vitest';
import type { PrefixRule, RuleDecision } from '../../base/policy.ts';
import { matchRules, strictest } from './match-rules.ts';

const git = (decision: RuleDecision): PrefixRule => ({ pattern: ['git', 'push'], decision });
const decisions = (command: string, rules: PrefixRule[], executables = {}) =>
  matchRules(command.split(' '), { rules, executables }).map(({ rule }) => rule.decision);

test('the strictest rule wins, whatever their order', () => {
  const [allow, prompt, forbidden] = [git('allow'), git('prompt'), git('forbidden')];
  expect(strictest([allow, forbidden, prompt])).toBe(forbidden);
  expect(strictest([allow, prompt])).toBe(prompt);
  expect(strictest([prompt, { ...prompt }])).toBe(prompt);
  expect(strictest([])).toBeUndefined();
});

test('a rule matches commands that begin with its words', () => {
  expect(decisions('git push origin', [git('prompt')])).toEqual(['prompt']);
  expect(decisions('git pushy', [git('prompt')])).toEqual([]);
  expect(decisions('git', [git('prompt')])).toEqual([]);
  const choice: PrefixRule = {
    pattern: [
      ['npm', 'pnpm'],
      ['i', 'install'],
    ],
    decision: 'allow',
  };
  expect(decisions('pnpm i left-pad', [choice])).toEqual(['allow']);
  expect(matchRules(['pnpm', 'i', 'x'], { rules: [choice] })[0]?.words).toEqual(['pnpm', 'i']);
});

describe('a program that is named by a path', () => {
  test.each(['/tmp/evil/git', './git', '/home/me/project/git', '../git'])('%s is not allowed by its name', (path) => {
    expect(decisions(`${path} push`, [git('allow')])).toEqual([]);
    expect(decisions(`${path} push`, [git('forbidden'), git('prompt')])).toEqual(['forbidden', 'prompt']);
  });

  test('is allowed in a folder of the system, and at a path of host_executable', () => {
    expect(decisions('/usr/bin/git push', [git('allow')])).toEqual(['allow']);
    const executables = { git: ['/opt/git/bin/git'] };
    expect(decisions('/opt/git/bin/git push', [git('allow')], executables)).toEqual(['allow']);
    expect(decisions('/opt/git/bin/git push', [git('allow')], {})).toEqual([]);
    // A list of executables excludes all other paths.
    expect(decisions('/usr/bin/git push', [git('allow')], executables)).toEqual([]);
    expect(decisions('git push', [git('allow')], executables)).toEqual(['allow']);
  });

  test('is allowed by a rule with that path', () => {
    const exact: PrefixRule = { pattern: [['/opt/x/git', 'y'], 'push'], decision: 'allow' };
    expect(decisions('/opt/x/git push', [exact], { git: ['/other/git'] })).toEqual(['allow']);
  });

  test('is part of the match if the rule has another name', () => {
    expect(matchRules(['/a/git', 'push'], { rules: [git('prompt')] })[0]).toMatchObject({
      words: ['git', 'push'],
      program: '/a/git',
    });
  });

  test('may have the name of a property that all objects have', () => {
    const rule: PrefixRule = { pattern: ['constructor'], decision: 'allow' };
    expect(decisions('/a/constructor', [rule], {})).toEqual([]);
  });
});
