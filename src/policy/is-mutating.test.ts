import { expect, test } from 'vitest';
import type { Action, CommandAction, McpAction } from '../base/action.ts';
import { isMutating } from './is-mutating.ts';

const command = (...argv: string[]): CommandAction => ({
  kind: 'command',
  argv,
  cwd: '/w',
  login: true,
  escalate: false,
  yieldMs: 1,
});
const input = (chars: string): Action => ({ kind: 'terminal_input', terminalId: 1, chars, yieldMs: 1 });
const mcp = (hints: McpAction['hints']): Action => ({ kind: 'mcp', server: 's', tool: 't', input: {}, hints });
const own = (mutating: boolean): Action => ({ kind: 'own', tool: 't', input: {}, mutating });

test.each<[string, Action, boolean]>([
  ['a command that only reads', command('bash', '-c', 'ls -l && cat a'), false],
  ['one of several that does not', command('bash', '-c', 'ls && touch x'), true],
  ['a command that is not known', command('make'), true],
  ['a script that cannot be taken apart', command('bash', '-c', 'ls > "$(pwd)/x"'), true],
  ['an empty script', command('bash', '-c', ''), true],
  ['looking at a terminal', input(''), false],
  ['typing into it', input('y\n'), true],
  ['a patch', { kind: 'patch', changes: [], escalate: false }, true],
  ['reading a file', { kind: 'read', path: '/w/a', shown: 'a' }, false],
  ['a search', { kind: 'search', query: 'q', argv: ['search', 'q'] }, false],
  ['a plan', { kind: 'plan', steps: [] }, false],
  ['an MCP tool that says it only reads', mcp({ readOnly: true }), false],
  ['one that says nothing', mcp({}), true],
  ['an own tool, as its author says', own(true), true],
  ['an own tool that only reads', own(false), false],
])('%s', (_, action, mutating) => {
  expect(isMutating(action)).toBe(mutating);
});
