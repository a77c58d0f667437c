import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Action, CommandAction, McpAction, PatchAction, PatchChange } from '../base/action.ts';
import type { ApprovalPolicy, Decision, Policy, SandboxMode } from '../base/policy.ts';
import { decide } from './decide.ts';
import { examinePatch } from './examine-patch.ts';
import type { CommandKnowledge, Knowledge } from './knowledge.ts';

interface Case {
  readonly action: Action;
  readonly knowledge: Knowledge | ((policy: Policy) => Knowledge);
  readonly policy?: { readonly denyRead: readonly string[] };
}

const plainCommand: CommandAction = {
  kind: 'command',
  argv: ['x'],
  cwd: '/w',
  login: true,
  escalate: false,
  yieldMs: 1,
};
const command = (known: Partial<CommandKnowledge>, action: Partial<CommandAction> = {}): Case => ({
  action: { ...plainCommand, ...action },
  knowledge: { command: { readOnly: false, allowed: false, ...known } },
});
const rule = (decision: 'forbidden' | 'prompt') => ({ rule: { pattern: ['x'], decision } });
const hidden = (row: Case): Case => ({ ...row, policy: { denyRead: ['/secret'] } });

const UPDATE = { type: 'update', path: '/w/file', destroys: false, shown: 'file', before: 'a', after: 'b' } as const;
const patch = (...changes: Partial<PatchChange>[]): Case => {
  const action: PatchAction = {
    kind: 'patch',
    changes: changes.map((change) => ({ ...UPDATE, ...change })),
    escalate: false,
  };
  return { action, knowledge: ({ sandbox }) => ({ patch: examinePatch(action, sandbox) }) };
};
const input = (chars: string, terminal: 'inside' | 'approved' | 'asked'): Case => ({
  action: { kind: 'terminal_input', terminalId: 1, chars, yieldMs: 1 },
  knowledge: { terminal },
});
const mcp = (hints: McpAction['hints'], approval?: McpAction['approval']): Case => ({
  action: { kind: 'mcp', server: 's', tool: 't', input: {}, hints, ...(approval === undefined ? {} : { approval }) },
  knowledge: {},
});

const own = (more: { readonly approval?: string; readonly mutating?: boolean } = {}): Case => ({
  action: { kind: 'own', tool: 't', input: {}, mutating: true, ...more },
  knowledge: {},
});

/** Cases for the texts in the first column of each table. */
const CASES: Readonly<Record<string, Readonly<Record<string, readonly Case[]>>>> = {
  command: {
    'a rule forbids it': [
      command(rule('forbidden')),
      command({ ...rule('forbidden'), danger: 'd', readOnly: true }, { escalate: true }),
    ],
    dangerous: [command({ danger: 'd' }), command({ danger: 'd', ...rule('prompt') })],
    'a rule says to ask': [command(rule('prompt')), command({ ...rule('prompt'), readOnly: true })],
    'rules allow every part': [command({ allowed: true }), command({ allowed: true }, { escalate: true })],
    'the model asks to leave the sandbox': [command({}, { escalate: true })],
    'known to only read': [command({ readOnly: true })],
    'any other': [command({})],
  },
  'command, with deny_read': {
    'rules allow every part': [
      hidden(command({ allowed: true })),
      hidden(command({ allowed: true }, { escalate: true })),
    ],
    'the model asks to leave the sandbox': [hidden(command({}, { escalate: true }))],
    'any other': [hidden(command({}))],
  },
  terminal: {
    'only looked at, or interrupted': [input('', 'asked'), input('\x03', 'asked')],
    'inside the sandbox': [input('x\n', 'inside')],
    'outside, by a rule, the policy or a yes to this terminal': [input('x\n', 'approved')],
    'outside, by a yes to the command': [input('x\n', 'asked'), input('\x03x', 'asked')],
  },
  patch: {
    empty: [patch()],
    'a file that may not be read': [hidden(patch({ path: '/secret/key' })), hidden(patch({}, { path: '/secret' }))],
    'in writable folders': [patch({}), patch({ type: 'add', path: '/w/a/b' }), patch({ to: '/w/moved' })],
    elsewhere: [
      patch({}, { path: '/etc/passwd' }),
      patch({ to: '/elsewhere' }),
      patch({ path: '/w/.git/config' }),
      patch({ path: '/w/sub/.codex/config.toml' }),
      patch({ path: '/w' }),
      patch({ path: '/w/../etc/passwd' }),
      patch({ path: '/wide/file' }),
    ],
    'loses what git could not bring back': [patch({ destroys: true }), patch({}, { type: 'delete', destroys: true })],
  },
  'tool says of itself': {
    'that it only reads': [mcp({ readOnly: true }), mcp({ readOnly: true, destructive: false, openWorld: true })],
    'that it destroys nothing and stays on this machine': [mcp({ destructive: false, openWorld: false })],
    nothing: [mcp({}), mcp({ openWorld: false }), mcp({ destructive: false }), mcp({ readOnly: false })],
    'that it may destroy something': [mcp({ destructive: true }), mcp({ destructive: true, readOnly: true })],
  },
  'mode of the tool': {
    approve: [mcp({}, 'approve'), mcp({ destructive: true }, 'approve'), mcp({ readOnly: true }, 'approve')],
    'writes, and it says that it only reads': [mcp({ readOnly: true }, 'writes')],
    'writes, and it does not say so': [mcp({}, 'writes'), mcp({ destructive: false, openWorld: false }, 'writes')],
    prompt: [mcp({}, 'prompt'), mcp({ readOnly: true }, 'prompt'), mcp({ destructive: true }, 'prompt')],
  },
  'tool of the program': {
    'asks for approval': [own({ approval: 'It pays.' }), own({ approval: 'It looks.', mutating: false })],
    'any other': [own(), own({ mutating: false })],
  },
};

const POLICIES: Readonly<Record<string, ApprovalPolicy>> = {
  untrusted: 'untrusted',
  'on-failure': 'on-failure',
  'on-request': 'on-request',
  never: 'never',
  granular: { sandbox: true, rules: true, mcp: true },
  'granular, all false': { sandbox: false, rules: false, mcp: false },
};

const MODES: Readonly<Record<string, readonly SandboxMode[]>> = {
  confined: ['read-only', 'workspace-write'],
  full: ['danger-full-access'],
};

interface Cell {
  readonly table: string;
  readonly row: string;
  readonly sandbox: string;
  readonly approval: string;
  readonly says: string;
}

const cells = readTables(readFileSync(join(import.meta.dirname, '../../docs/approvals.md'), 'utf8'));

/** Returns every cell of every table whose second column is the sandbox. */
function readTables(page: string): Cell[] {
  const found: Cell[] = [];
  let heads: string[] | undefined;
  for (const line of page.split('\n')) {
    const row = line.startsWith('|')
      ? line
          .slice(1, -1)
          .split('|')
          .map((text) => text.trim())
      : undefined;
    if (row === undefined) heads = undefined;
    else if (row[1] === 'sandbox') heads = row;
    else if (heads && !/^-+$/.test(row[0] ?? '')) found.push(...cellsOf(heads, row));
  }
  return found;
}

function cellsOf([table = '', , ...policies]: readonly string[], [row = '', sandbox = '', ...says]: readonly string[]) {
  return policies.map((approval, at) => ({ table, row, sandbox, approval, says: says[at] ?? '' }));
}

/** Returns a decision in the words of the tables. Commands and patches have a place where they run. */
function inWords(decision: Decision, places: boolean): string {
  if (decision.type === 'deny') return 'refuse';
  const place = places ? [decision.sandboxed ? 'inside' : 'outside'] : [];
  return [decision.type === 'ask' ? 'ask' : 'run', ...place, ...(decision.askAgain ? ['again'] : [])].join(', ');
}

function policyOf(mode: SandboxMode, approval: string, denyRead?: readonly string[]): Policy {
  const policy = POLICIES[approval];
  if (policy === undefined) throw new Error(`the column ${approval} is not a policy`);
  return {
    approval: policy,
    sandbox: { mode, writableRoots: ['/w'], network: false, ...(denyRead ? { denyRead } : {}) },
  };
}

/** Returns the trials of a cell: each case in each mode that the cell covers. */
function trialsOf({ table, row, sandbox, approval }: Cell) {
  const cases = CASES[table]?.[row];
  const modes = MODES[sandbox];
  if (!cases || !modes)
    throw new Error(`the table has a row that the test does not know: ${table}: ${row}, ${sandbox}`);
  return modes.flatMap((mode) => {
    // A read-only sandbox has no writable folders.
    if (table === 'patch' && mode === 'read-only' && /writable|loses/.test(row)) return [];
    return cases.map(({ action, knowledge, policy }) => {
      const whole = policyOf(mode, approval, policy?.denyRead);
      return { action, policy: whole, knowledge: typeof knowledge === 'function' ? knowledge(whole) : knowledge };
    });
  });
}

describe('the tables of docs/approvals.md', () => {
  test('have every row and column', () => {
    for (const [table, rows] of Object.entries(CASES)) {
      const ofTable = cells.filter((cell) => cell.table === table);
      expect(new Set(ofTable.map(({ row }) => row)), table).toEqual(new Set(Object.keys(rows)));
      for (const { row, sandbox } of ofTable) {
        const columns = ofTable.filter((cell) => cell.row === row && cell.sandbox === sandbox);
        expect(columns.map(({ approval }) => approval)).toEqual(Object.keys(POLICIES));
      }
    }
    expect(new Set(cells.map(({ table }) => table))).toEqual(new Set(Object.keys(CASES)));
  });

  test.each(cells)('$table: $row, $sandbox, $approval: $says', (cell) => {
    const places = cell.table.startsWith('command') || cell.table === 'patch';
    const trials = trialsOf(cell);
    expect(trials.length).toBeGreaterThan(0);
    for (const { action, policy, knowledge } of trials)
      expect(inWords(decide(action, policy, knowledge), places)).toBe(cell.says);
  });

  test.each(cells)(
    '$table: $row, $sandbox, $approval: an earlier approval saves the question and changes nothing else',
    (cell) => {
      for (const { action, policy, knowledge } of trialsOf(cell)) {
        const fresh = decide(action, policy, knowledge);
        const again = decide(action, policy, { ...knowledge, approved: true });
        if (fresh.type !== 'ask') expect(again).toEqual(fresh);
        else expect(inWords(again, true)).toBe(inWords(fresh, true).replace('ask', 'run'));
      }
    },
  );
});

describe('questions of a granular policy', () => {
  const asks = (granular: Exclude<ApprovalPolicy, string>, { action, knowledge }: Case) => {
    const policy: Policy = { ...policyOf('workspace-write', 'granular'), approval: granular };
    return decide(action, policy, typeof knowledge === 'function' ? knowledge(policy) : knowledge).type;
  };
  const only = (kind: 'sandbox' | 'rules' | 'mcp') => ({ sandbox: false, rules: false, mcp: false, [kind]: true });

  test.each([
    ['leaving the sandbox', command({}, { escalate: true }), 'sandbox'],
    ['danger', command({ danger: 'd' }), 'sandbox'],
    ['a patch elsewhere', patch({ path: '/etc/x' }), 'sandbox'],
    ['a patch that loses something', patch({ destroys: true }), 'sandbox'],
    ['a rule', command(rule('prompt')), 'rules'],
    ['a tool', mcp({}), 'mcp'],
    ['a tool of the program', own({ approval: 'It pays.' }), 'mcp'],
  ] as const)('%s is asked about by its own switch alone', (_, row, kind) => {
    expect(asks(only(kind), row)).toBe('ask');
    expect(asks({ sandbox: true, rules: true, mcp: true, [kind]: false }, row)).toBe('deny');
  });

  test('an action with two reasons needs both switches', () => {
    const both = command(rule('prompt'), { escalate: true });
    expect(asks(only('rules'), both)).toBe('deny');
    expect(asks(only('sandbox'), both)).toBe('deny');
    expect(asks({ sandbox: true, rules: true, mcp: false }, both)).toBe('ask');
  });
});

describe('texts', () => {
  const reason = (decision: Decision) => (decision.type === 'allow' ? undefined : decision.reason);
  const about = (row: Case, approval: string, mode: SandboxMode = 'workspace-write') => {
    const policy = policyOf(mode, approval, row.policy?.denyRead);
    const knowledge = typeof row.knowledge === 'function' ? row.knowledge(policy) : row.knowledge;
    return reason(decide(row.action, policy, knowledge));
  };
  const bash = { argv: ['/bin/bash', '-lc', 'rm -rf foo'] };

  test.each([
    [
      command({}, { escalate: true }),
      'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never',
    ],
    [
      command({ danger: 'rm -f deletes without asking' }, bash),
      "`/bin/bash -lc 'rm -rf foo'` rejected: rm -f style commands are not permitted. Use a safer approach",
    ],
    [
      command({ danger: 'dd writes straight to a device' }),
      '`x` rejected: dd writes straight to a device, which is not permitted. Use a safer approach',
    ],
    [
      command(rule('prompt')),
      'approval required by policy, but AskForApproval is set to Never. `x` did not run: find a way without it, or tell the user to run it.',
    ],
    [command(rule('forbidden')), '`x` rejected: policy forbids commands starting with `x`'],
    [
      command({ rule: { pattern: ['git', ['push', 'pull']], decision: 'forbidden' } }),
      '`x` rejected: policy forbids commands starting with `git push|pull`',
    ],
    [
      command({ rule: { pattern: ['x'], decision: 'forbidden', justification: 'Use y.' } }, { argv: ['x', 'a b'] }),
      "`x 'a b'` rejected: Use y.",
    ],
    [patch({ path: '/etc/x' }), 'patch rejected: writing outside of the project; rejected by user approval settings'],
    [patch(), 'patch rejected: empty patch'],
    [mcp({}), 'MCP tool call requires approval, but approval policy is never'],
  ])('under never the model gets the same text as in Codex (%#)', (row, text) => {
    expect(about(row, 'never')).toBe(text);
  });

  test('a read-only sandbox is named', () => {
    expect(about(patch({}), 'never', 'read-only')).toBe(
      'patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings',
    );
  });

  test('a tool of the program says itself why it asks', () => {
    expect(about(own({ approval: 'It pays 5 EUR.' }), 'on-request')).toBe('It pays 5 EUR.');
    expect(about(own({ approval: 'It pays 5 EUR.' }), 'never')).toBe(
      'rejected: t requires approval, but approval policy is never',
    );
  });

  test('the user sees the reason of the model, or all reasons', () => {
    expect(about(command({}, { escalate: true, justification: 'Needs the network.' }), 'on-request')).toBe(
      'Needs the network.',
    );
    expect(about(command({}, { escalate: true }), 'on-request')).toBe(
      'The model asks to run this outside the sandbox.',
    );
    expect(about(command({ danger: 'd', ...rule('prompt') }), 'on-request')).toBe(
      'This could destroy something: d. A rule says to ask: commands that begin with `x` are asked for.',
    );
    expect(about(patch({ path: '/etc/x', destroys: true }), 'on-request')).toBe(
      'The sandbox does not let it, and the patch writes to /etc/x. Git could not bring back what this patch deletes or writes over: /etc/x.',
    );
  });

  test('a granular policy that answers with no says so', () => {
    expect(about(mcp({}), 'granular, all false')).toMatch(
      /^rejected by the approval policy, which does not ask about this: /,
    );
  });
});

describe('scopes', () => {
  const scopesOf = (row: Case, approval = 'on-request', mode: SandboxMode = 'workspace-write') => {
    const policy = policyOf(mode, approval, row.policy?.denyRead);
    const knowledge = typeof row.knowledge === 'function' ? row.knowledge(policy) : row.knowledge;
    const decision = decide(row.action, policy, knowledge);
    if (decision.type !== 'ask') throw new Error('nothing was asked');
    return decision.scopes.map((scope) => (scope.type === 'prefix' ? `prefix ${scope.lasts}` : scope.type));
  };
  const prefix = { prefix: ['npm', 'install'] };
  const all = ['prefix thread', 'prefix project', 'prefix always'];

  test.each([
    ['a command that leaves', command(prefix, { escalate: true }), ['once', 'terminal', 'thread', ...all]],
    [
      'one that cannot become a terminal',
      command(prefix, { escalate: true, timeoutMs: 9 }),
      ['once', 'thread', ...all],
    ],
    ['one without a fit prefix', command({}, { escalate: true }), ['once', 'terminal', 'thread']],
    ['a dangerous one', command({ ...prefix, danger: 'd' }), ['once', 'thread']],
    ['one that a rule asks about', command({ ...prefix, ...rule('prompt') }), ['once', 'thread']],
    ['a patch', patch({ path: '/etc/x' }), ['once', 'thread']],
    ['an MCP tool', mcp({}), ['once', 'tool']],
    ['a tool of the program', own({ approval: 'It pays.' }), ['once', 'tool']],
    ['typing', input('x', 'asked'), ['once', 'terminal']],
  ])('of %s', (_, row, scopes) => {
    expect(scopesOf(row)).toEqual(scopes);
  });

  test('a command that is asked about and runs inside can be allowed outside only where that is possible', () => {
    expect(scopesOf(command(prefix), 'untrusted')).toEqual(['once', 'thread', ...all]);
    expect(scopesOf(hidden(command(prefix)), 'untrusted')).toEqual(['once', 'thread']);
  });
});

test('plans touch nothing, and are shown under every policy', () => {
  for (const approval of Object.keys(POLICIES)) {
    for (const mode of Object.values(MODES).flat()) {
      const policy = policyOf(mode, approval);
      expect(decide({ kind: 'plan', steps: [] }, policy, {}).type).toBe('allow');
    }
  }
});

test('destructive_patches = "allow" asks nothing', () => {
  const row = patch({ destroys: true });
  const policy: Policy = { ...policyOf('workspace-write', 'on-request'), destructivePatches: 'allow' };
  expect(decide(row.action, policy, { patch: { outside: [], unreadable: [] } })).toEqual({
    type: 'allow',
    sandboxed: true,
  });
});

test('nothing is decided about a command or patch that was not examined', () => {
  const policy = policyOf('workspace-write', 'on-request');
  expect(() => decide(plainCommand, policy, {})).toThrow('examined');
  expect(() => decide(patch({}).action, policy, {})).toThrow('examined');
});
