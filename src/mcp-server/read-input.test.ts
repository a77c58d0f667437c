import { expect, test } from 'vitest';
import { readCodexInput, readKeptParameters, readReplyInput } from './read-input.ts';
import { keptParameters, threadAgentOptions } from './thread-agent-options.ts';

const KEBAB = {
  prompt: 'go',
  model: 'm',
  profile: 'p',
  cwd: '/w',
  'approval-policy': 'on-request',
  sandbox: 'read-only',
  config: { a: 1 },
  'base-instructions': 'b',
  'developer-instructions': 'd',
  'compact-prompt': 'c',
  'include-plan-tool': true,
  'include-apply-patch-tool': false,
  'include-view-image-tool': true,
  'tools-web-search-request': false,
};

const spelled = (change: (name: string) => string) =>
  Object.fromEntries(Object.entries(KEBAB).map(([name, value]) => [change(name), value]));

test.each([
  ['kebab-case', (name: string) => name],
  ['snake_case', (name: string) => name.replaceAll('-', '_')],
  ['camelCase', (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())],
])('every parameter of codex is read in %s', (_, change) => {
  expect(readCodexInput(spelled(change))).toEqual({
    prompt: 'go',
    model: 'm',
    profile: 'p',
    cwd: '/w',
    approvalPolicy: 'on-request',
    sandbox: 'read-only',
    config: { a: 1 },
    baseInstructions: 'b',
    developerInstructions: 'd',
    compactPrompt: 'c',
    includePlanTool: true,
    includeApplyPatchTool: false,
    includeViewImageTool: true,
    toolsWebSearchRequest: false,
  });
});

test('null and unknown parameters are ignored', () => {
  expect(readCodexInput({ prompt: 'go', model: null, colour: 'red' })).toEqual({ prompt: 'go' });
});

test.each(['sessionId', 'conversationId', 'threadId', 'session_id', 'conversation-id', 'thread_id'])(
  'codex-reply reads the id as %s',
  (name) => {
    const read = readReplyInput({ prompt: 'go', [name]: 'x', base_instructions: 'b' });
    expect(read).toEqual({ prompt: 'go', threadId: 'x', baseInstructions: 'b' });
  },
);

test('ids of different threads are refused', () => {
  expect(() => readReplyInput({ prompt: 'go', sessionId: 'x', threadId: 'y' })).toThrow('name different threads');
  expect(readReplyInput({ prompt: 'go', sessionId: 'x', threadId: 'x' }).threadId).toBe('x');
});

test.each([
  ['model', 5, 'The parameter model of codex must be a string that is not empty, not 5.'],
  ['include_plan_tool', 'yes', 'The parameter include_plan_tool of codex must be true or false, not "yes".'],
  [
    'approvalPolicy',
    'always',
    'The parameter approvalPolicy of codex must be one of untrusted, on-failure, on-request',
  ],
  ['config', 'a=1', 'The parameter config of codex must be an object, not "a=1".'],
])('a wrong %s is named', (name, value, sentence) => {
  expect(() => readCodexInput({ prompt: 'go', [name]: value })).toThrow(sentence);
});

test('parameters become settings and overrides, which beat those of the server', () => {
  const base = { overrides: ['model_verbosity=low'], settings: { model: 'a' }, profile: 'x' };
  const options = threadAgentOptions(base, {
    model: 'b',
    profile: 'y',
    cwd: '/w',
    approvalPolicy: 'never',
    sandbox: 'read-only',
    includePlanTool: false,
    toolsWebSearchRequest: true,
    config: { 'sandbox_workspace_write.network_access': true, tools: { 'a b': [1, 'x'] }, instructions: null },
  });
  expect(options).toEqual({
    overrides: ['model_verbosity=low', 'sandbox_workspace_write.network_access=true', 'tools."a b"=[1, "x"]'],
    settings: {
      model: 'b',
      approval_policy: 'never',
      sandbox_mode: 'read-only',
      web_search: 'live',
      tools: { update_plan: false },
    },
    profile: 'y',
    cwd: '/w',
  });
});

test('kept parameters are read again, without credentials', () => {
  const provider = { base_url: 'http://x', env_key: 'NAME', experimental_bearer_token: 'secret' };
  const kept = keptParameters({ model: 'm', sandbox: 'read-only', config: { model_providers: { p: provider } } });
  expect(kept).not.toContain('secret');
  expect(readKeptParameters(kept)).toEqual({
    model: 'm',
    sandbox: 'read-only',
    config: { model_providers: { p: { base_url: 'http://x', env_key: 'NAME' } } },
  });
  expect(readKeptParameters('{"model":5}')).toEqual({});
  expect(readKeptParameters('nonsense')).toEqual({});
});
