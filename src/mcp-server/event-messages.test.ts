import { expect, test } from 'vitest';
import type { Ask, Event, EventBody, ThreadItem } from '../base/event.ts';
import { NO_USAGE } from '../base/usage.ts';
import { messagesOf } from './event-messages.ts';

const FRAME = { v: 1, seq: 1, threadId: 'thread', turnId: 'turn' } as const;

function messages(body: EventBody, asked: readonly string[] = []) {
  return messagesOf({ ...body, ...FRAME } as Event, { asked: new Set(asked) });
}

const COMMAND = { type: 'command', id: 'c', argv: ['echo', 'a b'], cwd: '/w', output: 'a b\n' } as const;
const RUNNING: ThreadItem = { ...COMMAND, exitCode: null, durationMs: null, status: 'running' };
const COMMAND_FIELDS = {
  call_id: 'c',
  turn_id: 'turn',
  command: ['echo', 'a b'],
  cwd: '/w',
  parsed_cmd: [{ type: 'unknown', cmd: "echo 'a b'" }],
  source: 'agent',
};
const ENDED = { stdout: 'a b\n', aggregated_output: 'a b\n', formatted_output: 'a b\n' };
const DIFF = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
const PATCH = {
  type: 'file_change',
  id: 'p',
  changes: [
    { kind: 'update', path: '/w/x', to: '/w/y', diff: DIFF },
    { kind: 'add', path: '/w/n', diff: 'diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+one\n+two\n' },
    {
      kind: 'delete',
      path: '/w/o',
      diff: 'diff --git a/o b/o\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n',
    },
  ],
} as const;
const PATCH_FIELDS = {
  call_id: 'p',
  turn_id: 'turn',
  changes: {
    '/w/x': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: '/w/y' },
    '/w/n': { type: 'add', content: 'one\ntwo\n' },
    '/w/o': { type: 'delete', content: 'old' },
  },
};
const TOOL = {
  type: 'tool_call',
  id: 't',
  name: 'read',
  namespace: 'files',
  mcp: { server: 'files', tool: 'read' },
  arguments: '{"path":"a"}',
} as const;
const INVOCATION = { call_id: 't', invocation: { server: 'files', tool: 'read', arguments: { path: 'a' } } };
const PLAN: ThreadItem = { type: 'plan', id: 'l', explanation: null, steps: [{ step: 'a', status: 'pending' }] };
const PLAN_UPDATE = { type: 'plan_update', explanation: null, plan: [{ step: 'a', status: 'pending' }] };
const reason = { cause: 'other', message: 'no' } as const;

const ASK = { id: 'a', callId: 'c', argv: ['ls'], cwd: '/w', shown: 'ls', reason: 'why', sandboxed: true, scopes: [] };
const ASK_COMMAND = { ...ASK, action: { kind: 'command', argv: ['ls'], cwd: '/w' } } as unknown as Ask;
const ASK_PATCH = {
  ...ASK,
  action: { kind: 'patch', changes: [{ type: 'update', path: '/w/x', before: 'a\n', after: 'b\n' }] },
} as unknown as Ask;
const ASK_OWN = { ...ASK, action: { kind: 'own', tool: 'x', input: {}, mutating: true } } as unknown as Ask;

const started = (item: ThreadItem) => ({ type: 'item.started', item }) as const;
const completed = (item: ThreadItem) => ({ type: 'item.completed', item }) as const;
const TOKENS = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
};

const SHOWN: readonly (readonly [name: string, event: EventBody, expected: readonly object[]])[] = [
  ['a turn', { type: 'turn.started' }, [{ type: 'task_started', turn_id: 'turn', model_context_window: null }]],
  ['a command', started(RUNNING), [{ type: 'exec_command_begin', ...COMMAND_FIELDS }]],
  [
    'the output of a command',
    { type: 'command.output', itemId: 'c', text: 'é' },
    [{ type: 'exec_command_output_delta', call_id: 'c', stream: 'stdout', chunk: 'w6k=' }],
  ],
  [
    'the end of a command',
    completed({ ...COMMAND, exitCode: 3, durationMs: 1500, status: 'failed' }),
    [
      {
        type: 'exec_command_end',
        ...COMMAND_FIELDS,
        ...ENDED,
        stderr: '',
        exit_code: 3,
        duration: { secs: 1, nanos: 500_000_000 },
        status: 'failed',
      },
    ],
  ],
  [
    'a declined command',
    completed({ ...COMMAND, exitCode: null, durationMs: null, status: 'declined', reason }),
    [
      { type: 'exec_command_begin', ...COMMAND_FIELDS },
      {
        type: 'exec_command_end',
        ...COMMAND_FIELDS,
        ...ENDED,
        stderr: 'no',
        exit_code: -1,
        duration: { secs: 0, nanos: 0 },
        status: 'declined',
      },
    ],
  ],
  [
    'a patch',
    started({ ...PATCH, status: 'running' }),
    [{ type: 'patch_apply_begin', ...PATCH_FIELDS, auto_approved: true }],
  ],
  [
    'the end of a patch',
    completed({ ...PATCH, status: 'failed', reason }),
    [{ type: 'patch_apply_end', ...PATCH_FIELDS, stdout: '', stderr: 'no', success: false, status: 'failed' }],
  ],
  [
    'a call of an MCP tool',
    started({ ...TOOL, output: null, status: 'running', durationMs: null, failure: null }),
    [{ type: 'mcp_tool_call_begin', ...INVOCATION }],
  ],
  [
    'the end of a call of an MCP tool',
    completed({ ...TOOL, output: 'x', status: 'completed', durationMs: 2, failure: null }),
    [
      {
        type: 'mcp_tool_call_end',
        ...INVOCATION,
        duration: { secs: 0, nanos: 2_000_000 },
        result: { Ok: { content: [{ type: 'text', text: 'x' }] } },
      },
    ],
  ],
  [
    'the failure of a call of an MCP tool',
    completed({ ...TOOL, output: 'x', status: 'failed', durationMs: 2, failure: 'mcp' }),
    [{ type: 'mcp_tool_call_end', ...INVOCATION, duration: { secs: 0, nanos: 2_000_000 }, result: { Err: 'x' } }],
  ],
  [
    'a search',
    started({ type: 'web_search', id: 'w', query: '', status: 'running' }),
    [{ type: 'web_search_begin', call_id: 'w' }],
  ],
  [
    'the end of a search',
    completed({ type: 'web_search', id: 'w', query: 'q', status: 'completed' }),
    [{ type: 'web_search_end', call_id: 'w', query: 'q', action: { type: 'search', query: 'q' } }],
  ],
  ['a plan', started(PLAN), [PLAN_UPDATE]],
  ['a changed plan', { type: 'item.updated', item: PLAN }, [PLAN_UPDATE]],
  ['a message', completed({ type: 'agent_message', id: 'm', text: 'Hi' }), [{ type: 'agent_message', message: 'Hi' }]],
  ['reasoning', completed({ type: 'reasoning', id: 'r', text: 'Hm' }), [{ type: 'agent_reasoning', text: 'Hm' }]],
  [
    'a piece of a message',
    { type: 'text.delta', itemId: 'm', delta: 'H' },
    [
      { type: 'agent_message_delta', delta: 'H' },
      { type: 'agent_message_content_delta', thread_id: 'thread', turn_id: 'turn', item_id: 'm', delta: 'H' },
    ],
  ],
  [
    'a piece of a summary',
    { type: 'reasoning.delta', itemId: 'r', kind: 'summary', delta: 'H' },
    [{ type: 'agent_reasoning_delta', delta: 'H' }],
  ],
  [
    'a piece of raw reasoning',
    { type: 'reasoning.delta', itemId: 'r', kind: 'raw', delta: 'H' },
    [{ type: 'reasoning_raw_content_delta', thread_id: 'thread', turn_id: 'turn', item_id: 'r', delta: 'H' }],
  ],
  [
    'a question about a command',
    { type: 'ask.opened', ask: ASK_COMMAND },
    [
      {
        type: 'exec_approval_request',
        call_id: 'c',
        turn_id: 'turn',
        reason: 'why',
        command: ['ls'],
        cwd: '/w',
        parsed_cmd: [{ type: 'unknown', cmd: 'ls' }],
      },
    ],
  ],
  [
    'a question about a patch',
    { type: 'ask.opened', ask: ASK_PATCH },
    [
      {
        type: 'apply_patch_approval_request',
        call_id: 'c',
        turn_id: 'turn',
        reason: 'why',
        changes: { '/w/x': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: null } },
        grant_root: null,
      },
    ],
  ],
  ['the diff of a turn', { type: 'turn.diff', diff: DIFF }, [{ type: 'turn_diff', unified_diff: DIFF }]],
  [
    'tokens',
    { type: 'usage', response: NO_USAGE, thread: NO_USAGE },
    [
      {
        type: 'token_count',
        info: { total_token_usage: TOKENS, last_token_usage: TOKENS, model_context_window: null },
        rate_limits: null,
      },
    ],
  ],
  [
    'the end of a turn',
    { type: 'turn.completed', usage: NO_USAGE, finalResponse: 'Hi' },
    [{ type: 'task_complete', turn_id: 'turn', last_agent_message: 'Hi' }],
  ],
  [
    'a turn that failed',
    { type: 'turn.failed', error: { code: 'auth', message: 'No key.' } },
    [
      { type: 'error', message: 'No key.' },
      { type: 'task_complete', turn_id: 'turn', last_agent_message: null },
    ],
  ],
  [
    'a turn that was interrupted',
    { type: 'turn.aborted', reason: 'interrupted' },
    [{ type: 'turn_aborted', turn_id: 'turn', reason: 'interrupted' }],
  ],
];

test.each(SHOWN)('%s has its messages', (_, event, expected) => {
  expect(messages(event)).toEqual(expected);
});

test('a patch about which the client was asked is not approved by itself', () => {
  expect(messages(started({ ...PATCH, status: 'running' }), ['p'])).toMatchObject([{ auto_approved: false }]);
});

const SILENT: readonly EventBody['type'][] = [
  ...(['thread.started', 'item.dropped', 'reasoning.section', 'ask.answered', 'retry', 'request.waiting'] as const),
  ...(['repair', 'calls.received', 'warning', 'request.ended', 'call.started', 'call.progress', 'call.ended'] as const),
  ...(['compacted', 'prefix.changed', 'queue.changed', 'thread.rolled_back', 'input.taken'] as const),
  ...(['output.refused', 'turn.ledger', 'turn.suspended'] as const),
];

test.each(SILENT)('%s has no message', (type) => {
  expect(messages({ type } as EventBody)).toEqual([]);
});

test.each([
  ['a user message', started({ type: 'user_message', id: 'u', text: 'Hi', images: 0 })],
  ['a begun message', started({ type: 'agent_message', id: 'm', text: '' })],
  ['a call of another tool', completed({ ...TOOL, mcp: undefined } as unknown as ThreadItem)],
  ['a question about another tool', { type: 'ask.opened', ask: ASK_OWN } as const],
])('%s has no message', (_, event) => {
  expect(messages(event)).toEqual([]);
});
