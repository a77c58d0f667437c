import { describe, expect, test } from 'vitest';
import type { Action, CommandAction } from '../base/action.ts';
import type { ApprovalScope, Policy, PrefixRule } from '../base/policy.ts';
import { createJudge, createJudgeMemory } from './judge.ts';

function scene(policy: Partial<Policy> = {}, memory = createJudgeMemory(), untrusted: readonly string[] = []) {
  const kept: [PrefixRule, string][] = [];
  const notes: string[] = [];
  const judge = createJudge({
    policy: {
      approval: 'on-request',
      sandbox: { mode: 'workspace-write', writableRoots: ['/w'], network: false },
      ...policy,
    },
    memory,
    project: '/w',
    files: { project: '/home/rules/projects/w.rules', always: '/home/rules/default.rules' },
    keepRule: (rule, lasts) => kept.push([rule, lasts]),
    explainDenial: () => undefined,
    suspect: () => undefined,
    findUntrusted: async (program) => (untrusted.includes(program) ? '/w/bin' : undefined),
    tell: (note) => notes.push(note),
  });
  const decideFully = async (action: Action) => judge.decide(action, await judge.distrust(action));
  return { judge, kept, notes, decideFully };
}

const command = (script: string, more: Partial<CommandAction> = {}): CommandAction => ({
  kind: 'command',
  argv: ['/bin/bash', '-c', script],
  cwd: '/w',
  login: true,
  escalate: true,
  yieldMs: 1,
  ...more,
});
const patch = (...paths: string[]): Action => ({
  kind: 'patch',
  changes: paths.map((path) => ({ type: 'update', path, destroys: false, shown: path, before: 'a', after: 'b' })),
  escalate: false,
});
const mcp = (tool: string, input: unknown): Action => ({ kind: 'mcp', server: 's', tool, input, hints: {} });
const input: Action = { kind: 'terminal_input', terminalId: 7, chars: 'x', yieldMs: 1 };

describe('an approval', () => {
  test('for one call is forgotten', () => {
    const { judge } = scene();
    judge.remember({ type: 'once' }, command('curl x'));
    expect(judge.decide(command('curl x')).type).toBe('ask');
  });

  test('for the thread covers the very same command and no other', () => {
    const { judge } = scene();
    judge.remember({ type: 'thread' }, command('curl x'));
    expect(judge.decide(command('curl x'))).toEqual({ type: 'allow', sandboxed: false });
    expect(judge.decide(command('curl x', { justification: 'again', yieldMs: 9 })).type).toBe('allow');
    expect(judge.decide(command('curl x y')).type).toBe('ask');
    expect(judge.decide(command('curl x', { cwd: '/elsewhere' })).type).toBe('ask');
  });

  test('of a sandboxed command does not let it leave the sandbox', () => {
    const { judge } = scene({ approval: 'untrusted' });
    judge.remember({ type: 'thread' }, command('make', { escalate: false }));
    expect(judge.decide(command('make', { escalate: false }))).toMatchObject({ type: 'allow', sandboxed: true });
    expect(judge.decide(command('make')).type).toBe('ask');
  });

  test('of a patch covers its files and no others', () => {
    const { judge } = scene();
    judge.remember({ type: 'thread' }, patch('/etc/a', '/etc/b'));
    expect(judge.decide(patch('/etc/b')).type).toBe('allow');
    expect(judge.decide(patch('/etc/b', '/etc/c')).type).toBe('ask');
    expect(judge.decide(patch('/etc')).type).toBe('ask');
  });

  test('of an MCP tool covers every call of it, and no other tool', () => {
    const { judge } = scene();
    judge.remember({ type: 'tool' }, mcp('a', 1));
    expect(judge.decide(mcp('a', 2)).type).toBe('allow');
    expect(judge.decide(mcp('b', 1)).type).toBe('ask');
  });

  test('of a prefix becomes a rule, in a file if it lasts', () => {
    for (const lasts of ['thread', 'project', 'always'] as const) {
      const { judge, kept } = scene();
      judge.remember({ type: 'prefix', prefix: ['npm', 'install'], lasts }, command('npm install x'));
      expect(judge.decide(command('npm install y', { escalate: false }))).toEqual({ type: 'allow', sandboxed: false });
      expect(judge.decide(command('npm publish')).type).toBe('ask');
      expect(kept).toEqual(lasts === 'thread' ? [] : [[{ pattern: ['npm', 'install'], decision: 'allow' }, lasts]]);
    }
  });

  test('never beats a rule that forbids', () => {
    const { judge } = scene({ rules: [{ pattern: ['curl'], decision: 'forbidden' }] });
    judge.remember({ type: 'thread' }, command('curl x'));
    judge.remember({ type: 'prefix', prefix: ['curl', 'x'], lasts: 'thread' }, command('curl x'));
    expect(judge.decide(command('curl x')).type).toBe('deny');
  });
});

describe('typing into a terminal', () => {
  test.each([
    ['inside', 'allow'],
    ['approved', 'allow'],
    ['asked', 'ask'],
  ] as const)('one that is %s: %s', (standing, type) => {
    const { judge } = scene();
    judge.opened(7, standing);
    expect(judge.decide(input).type).toBe(type);
  });

  test('an approval of the terminal covers later input, one of a single call does not', () => {
    const { judge } = scene();
    judge.opened(7, 'asked');
    judge.remember({ type: 'once' }, input);
    expect(judge.decide(input).type).toBe('ask');
    judge.remember({ type: 'terminal' }, input);
    expect(judge.decide(input).type).toBe('allow');
  });
});

test('isMutating works before and after a decision', () => {
  const { judge } = scene();
  const reading = { ...command('x'), argv: ['cat', 'a'] };
  const writing = { ...command('x'), argv: ['touch', 'a'] };
  expect([reading, writing].map(judge.isMutating)).toEqual([false, true]);
  judge.decide(reading);
  judge.decide(writing);
  expect([reading, writing].map(judge.isMutating)).toEqual([false, true]);
});

describe('the sentence of a scope says what it does', () => {
  const prefix = (lasts: 'thread' | 'project' | 'always') =>
    ({ type: 'prefix', prefix: ['npm', 'a b'], lasts }) as const;
  test.each<[ApprovalScope, Action, boolean, string]>([
    [{ type: 'once' }, command('x'), false, 'It runs outside the sandbox, this one time.'],
    [{ type: 'once' }, command('x'), true, 'It runs in the sandbox, this one time.'],
    [{ type: 'once' }, patch('/a'), true, 'The patch is applied, this one time: it changes /a.'],
    [
      { type: 'terminal' },
      command('x'),
      false,
      'It runs outside the sandbox, this one time, and the model may type into it without asking.',
    ],
    [{ type: 'terminal' }, input, false, 'The model may type into this terminal without asking, as long as it runs.'],
    [
      { type: 'thread' },
      command('x'),
      false,
      'This very command runs in this folder outside the sandbox without asking, until the thread ends.',
    ],
    [
      { type: 'thread' },
      patch('/a', '/b'),
      false,
      'These files may be changed and deleted without asking, until the thread ends: /a, /b.',
    ],
    [
      { type: 'tool' },
      mcp('a', 1),
      false,
      'The tool "a" of the MCP server "s" is called with any input without asking, until the thread ends.',
    ],
    [
      { type: 'tool' },
      { kind: 'own', tool: 'pay', input: {}, mutating: true, approval: 'It pays.' },
      true,
      'The tool "pay" is called with any input without asking, until the thread ends.',
    ],
    [
      prefix('thread'),
      command('x'),
      false,
      "Every command that begins with `npm 'a b'` runs outside the sandbox without asking, whatever is typed into it, until the thread ends.",
    ],
    [
      prefix('project'),
      command('x'),
      false,
      "Every command that begins with `npm 'a b'` runs outside the sandbox without asking, whatever is typed into it, in /w from now on, as /home/rules/projects/w.rules will say.",
    ],
    [
      prefix('always'),
      command('x'),
      false,
      "Every command that begins with `npm 'a b'` runs outside the sandbox without asking, whatever is typed into it, in every folder from now on, as /home/rules/default.rules will say.",
    ],
  ])('%j', (scope, action, sandboxed, sentence) => {
    expect(scene().judge.describe(scope, action, sandboxed)).toBe(sentence);
  });
});

test('answers for the rest of a thread hold under the policy of another turn too', () => {
  const memory = createJudgeMemory();
  const before = scene({}, memory).judge;
  before.remember({ type: 'thread' }, command('make install'));
  before.remember({ type: 'prefix', prefix: ['git', 'push'], lasts: 'thread' }, command('git push origin'));
  before.opened(7, 'approved');
  const { judge } = scene({ approval: 'untrusted' }, memory);
  expect(judge.decide(command('make install')).type).toBe('allow');
  expect(judge.decide(command('git push other', { escalate: false })).type).toBe('allow');
  expect(judge.decide(command('make clean')).type).toBe('ask');
  expect(judge.standing(7)).toBe('approved');
  expect(scene({ approval: 'untrusted' }).judge.decide(command('make install')).type).toBe('ask');
});

describe('a rule that allows a program', () => {
  const rules: PrefixRule[] = ['rg', 'ls', 'bash'].map((word) => ({ pattern: [word], decision: 'allow' }));
  const NOTE =
    'A rule allows rg, but commands can write to /w/bin, where PATH looks for it. The command stays in the sandbox.';

  test('does not count where commands could decide what the program is', async () => {
    for (const script of ['rg x', 'ls && rg x', "bash -c 'rg x'"]) {
      const { decideFully, notes } = scene({ rules }, createJudgeMemory(), ['rg']);
      const decision = await decideFully(command(script, { escalate: false }));
      expect([script, decision, notes]).toEqual([script, { type: 'allow', sandboxed: true }, [NOTE]]);
    }
    const { decideFully } = scene({ rules }, createJudgeMemory(), ['rg']);
    expect(await decideFully(command('ls', { escalate: false }))).toEqual({ type: 'allow', sandboxed: false });
  });

  test('does not count where that is so of a shell that reads the line', async () => {
    const { decideFully } = scene({ rules }, createJudgeMemory(), ['bash']);
    const nested = command("bash -c 'ls'", { escalate: false });
    expect(await decideFully(nested)).toMatchObject({ type: 'allow', sandboxed: true });
  });

  test('is not offered there', async () => {
    const { decideFully } = scene({}, createJudgeMemory(), ['pytest']);
    const scopesOf = async (script: string) => {
      const decision = await decideFully(command(script));
      return decision.type === 'ask' ? decision.scopes.map(({ type }) => type) : [];
    };
    expect(await scopesOf('pytest x')).not.toContain('prefix');
    expect(await scopesOf('tsc x')).toContain('prefix');
  });

  test('still forbids, and counts without a sandbox', async () => {
    const forbidden: PrefixRule = { pattern: ['rg'], decision: 'forbidden' };
    const strict = scene({ rules: [...rules, forbidden] }, createJudgeMemory(), ['rg']);
    expect(await strict.decideFully(command('rg x'))).toMatchObject({ type: 'deny' });
    const full = { mode: 'danger-full-access', writableRoots: [], network: true } as const;
    const free = scene({ rules, sandbox: full, approval: 'untrusted' }, createJudgeMemory(), ['rg']);
    expect(await free.decideFully(command('rg x'))).toMatchObject({ type: 'allow' });
    expect(free.notes).toEqual([]);
  });
});

test('a search whose program commands could replace is refused', async () => {
  const search: Action = { kind: 'search', query: 'x', argv: ['tool', 'x'] };
  expect(await scene().decideFully(search)).toEqual({ type: 'allow', sandboxed: false });
  const { decideFully } = scene({}, createJudgeMemory(), ['tool']);
  expect(await decideFully(search)).toMatchObject({ type: 'deny', reason: expect.stringContaining('/w/bin') });
});
