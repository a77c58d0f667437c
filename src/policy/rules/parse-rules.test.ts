import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { UserError } from '../../base/errors.ts';
import type { PrefixRule } from '../../base/policy.ts';
import { formatRule } from './format-rule.ts';
import { parseRules } from './parse-rules.ts';

const faultOf = (text: string): string => {
  try {
    parseRules(text, 'f.rules');
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('the rules were accepted');
};

test('a file with everything in it', () => {
  const text = `
# What the team agreed on.
prefix_rule(
    pattern = ["git", ["push", 'fetch']],  # one of two
    decision = "prompt",
    justification = "It reaches the server.",
    match = ["git push origin", ["git", "fetch"], "git 'push' \\"a b\\""],
    not_match = ["git status", ["git"]],
)
prefix_rule(pattern=["ls"])
host_executable(name = "git", paths = ["/usr/bin/git", "/opt/git/bin/git",])
network_rule(host="API.example.org", protocol="https", decision="deny", justification="Not ours.")
network_rule(host="10.0.0.1", protocol="socks5_tcp", decision="allow")`;
  expect(parseRules(text, 'f.rules')).toEqual({
    prefixRules: [
      { pattern: ['git', ['push', 'fetch']], decision: 'prompt', justification: 'It reaches the server.' },
      { pattern: ['ls'], decision: 'allow' },
    ],
    executables: { git: ['/usr/bin/git', '/opt/git/bin/git'] },
    networkRules: [
      { host: 'api.example.org', protocol: 'https', decision: 'forbidden', justification: 'Not ours.' },
      { host: '10.0.0.1', protocol: 'socks5_tcp', decision: 'allow' },
    ],
  });
});

test('a file may be empty, and strings may hold any character', () => {
  expect(parseRules('', 'f')).toEqual({ prefixRules: [], executables: {}, networkRules: [] });
  expect(parseRules('# nothing', 'f').prefixRules).toEqual([]);
  const text = String.raw`prefix_rule(pattern=["a\"b", 'c\'d', "e\\f", "#", "\t\u00e4", "ü"])`;
  expect(parseRules(text, 'f').prefixRules[0]?.pattern).toEqual(['a"b', "c'd", 'e\\f', '#', '\tä', 'ü']);
});

describe('a mistake is named with its line', () => {
  test.each([
    ['x', 'f.rules:1: expected "(" after x, found the end.'],
    ['\n\nprefix_rule(\n  pattern=["a"]\n  decision="allow")', 'f.rules:5: expected "," or ")", found "decision".'],
    ['prefix_rule(["a"])', 'f.rules:1: expected the name of an argument, found "[".'],
    ['prefix_rule(pattern=1)', 'f.rules:1: unexpected "1".'],
    ['prefix_rule(pattern=x)', 'f.rules:1: expected a string or a list, found "x".'],
    ['prefix_rule(pattern=["a"] + ["b"])', 'f.rules:1: unexpected "+".'],
    ['load("x.star", "y")', 'f.rules:1: expected the name of an argument, found "x.star".'],
    ['def f():\n  pass', 'f.rules:1: unexpected ":".'],
    ['x = ["a"]', 'f.rules:1: expected "(" after x, found "=".'],
    ['prefix_rule(pattern=["a"])prefix_rule(pattern=["b"])', 'f.rules:1: expected a new line after a rule'],
    ['prefix_rule(pattern=["a)', 'f.rules:1: a string begins with " and does not end in the same line.'],
    ['prefix_rule(pattern=["a\n"])', 'f.rules:1: a string begins with " and does not end in the same line.'],
    [String.raw`prefix_rule(pattern=["\q"])`, String.raw`f.rules:1: unknown escape \q in a string.`],
    ['\nprefix_rule()', 'f.rules:2: prefix_rule: pattern is missing.'],
    ['prefix_rule(pattern=[])', 'f.rules:1: prefix_rule: pattern must have at least one word.'],
    ['prefix_rule(pattern="ls")', 'f.rules:1: prefix_rule: pattern must be a list.'],
    ['prefix_rule(pattern=["a", []])', 'f.rules:1: prefix_rule: what stands for one word must be a string'],
    ['prefix_rule(pattern=["a", [["b"]]])', 'f.rules:1: prefix_rule: what stands for one word must be a string'],
    [
      'prefix_rule(pattern=["a"],\n decision="maybe")',
      'f.rules:2: prefix_rule: decision must be one of allow, prompt, forbidden, not "maybe".',
    ],
    ['prefix_rule(pattern=["a"], patern=["b"])', 'f.rules:1: prefix_rule: there is no argument patern.'],
    ['prefix_rule(pattern=["a"],\npattern=["b"])', 'f.rules:2: pattern is given twice.'],
    ['prefix_rule(pattern=["a"], justification=" ")', 'f.rules:1: prefix_rule: justification must not be empty.'],
    ['prefix_rule(pattern=["a"], justification=["b"])', 'f.rules:1: prefix_rule: justification must be a string.'],
    [
      'prefix_rule(pattern=["git", "push"],\n\n match=["git pull"])',
      'f.rules:3: prefix_rule: the example "git pull" of match does not match the pattern.',
    ],
    [
      'prefix_rule(pattern=["git"], not_match=["hg", "git pull"])',
      'f.rules:1: prefix_rule: the example "git pull" of not_match matches the pattern.',
    ],
    ['prefix_rule(pattern=["a"], match=["a \'b"])', 'f.rules:1: prefix_rule: match must hold commands'],
    ['prefix_rule(pattern=["a"], match=[""])', 'f.rules:1: prefix_rule: match must hold commands'],
    ['host_executable(name="git")', 'f.rules:1: host_executable: paths is missing.'],
    ['host_executable(name="/git", paths=[])', 'f.rules:1: host_executable: name must be the name of a program'],
    ['host_executable(name="git", paths=["bin/git"])', 'f.rules:1: host_executable: paths must be absolute'],
    ['host_executable(name="git", paths=["/bin/hg"])', 'f.rules:1: host_executable: paths must be absolute'],
    ['network_rule(host="*.x", protocol="https", decision="allow")', 'f.rules:1: network_rule: host must be the name'],
    ['network_rule(host="x", protocol="ftp", decision="allow")', 'f.rules:1: network_rule: protocol must be one of'],
    ['network_rule(host="x", protocol="https")', 'f.rules:1: network_rule: decision is missing.'],
    ['[', 'f.rules:1: expected a rule, found "[".'],
    [`prefix_rule(pattern=${'['.repeat(100_000)}`, 'f.rules:1: lists are nested too deeply.'],
    ['do_it(a="b")', 'f.rules:1: there is no rule do_it: prefix_rule, host_executable and network_rule are known.'],
  ])('%j', (text, fault) => {
    expect(faultOf(text).startsWith(fault), faultOf(text)).toBe(true);
  });
});

const word = fc.string({ minLength: 1, maxLength: 8, unit: 'binary' });
const ruleOf = fc.record({
  pattern: fc.array(fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 4 }),
  decision: fc.constantFrom('allow', 'prompt', 'forbidden') satisfies fc.Arbitrary<PrefixRule['decision']>,
});

test('a rule that is written down is read back as the same rule', () => {
  fc.assert(
    fc.property(fc.array(ruleOf, { maxLength: 4 }), (rules) => {
      const text = rules.map((rule) => `${formatRule(rule)}\n`).join('');
      expect(text.split('\n').length).toBe(rules.length + 1);
      expect(parseRules(text, 'f').prefixRules).toEqual(rules);
    }),
    { numRuns: runs(500) },
  );
});

const piece = fc.oneof(
  fc.constantFrom(
    'prefix_rule',
    'host_executable',
    'pattern',
    'decision',
    '(',
    ')',
    '[',
    ']',
    ',',
    '=',
    '\n',
    ' ',
    '#',
  ),
  fc.constantFrom('"a"', "'b'", '"', "'", '\\', '"\\n"', '"\\u00', 'match', '["git", "push"]', 'None', '1', '+', '\0'),
  fc.string({ maxLength: 5, unit: 'binary' }),
);

test('any text is read, or refused with a line, quickly', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      try {
        for (const { pattern } of parseRules(text, 'f.rules').prefixRules) expect(pattern.length).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        const line = Number(/^f\.rules:(\d+): ./.exec(error.message)?.[1]);
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(text.split('\n').length);
      }
    }),
    { numRuns: runs(3000) },
  );
});

test('a long file is read in time that grows with its length', () => {
  const text = 'prefix_rule(pattern=["git", "push"], match=["git push"])\n'.repeat(10_000);
  expect(parseRules(text, 'f').prefixRules).toHaveLength(10_000);
  expect(faultOf(`"${'a'.repeat(1_000_000)}`)).toContain('does not end');
  expect(faultOf('\\'.repeat(100_000))).toContain('unexpected');
});
