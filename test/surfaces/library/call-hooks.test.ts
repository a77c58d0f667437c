import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type CallHooks,
  defineTool,
  type HookedCall,
  type ThreadItem,
  type ThreadOptions,
} from '../../../src/index.ts';
import { call, customCall, type ReplyPart, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';

const order = defineTool({
  name: 'order',
  description: 'Orders.',
  parameters: {
    type: 'object',
    properties: { article: { type: 'string' }, count: { type: 'integer', maximum: 10 } },
    required: ['article'],
  },
  run({ article, count = 1 }) {
    if (article === 'nothing') throw new Error('sold out');
    return `ordered ${count} ${article}`;
  },
});

interface HookScene extends LibraryScene {
  readonly items: readonly ThreadItem[];
}

/** Runs a turn with these calls, which all get an answer. */
async function hookedTurn(
  calls: readonly ReplyPart[],
  hooks: CallHooks,
  { thread: threadOptions = {}, config = {} }: { thread?: ThreadOptions; config?: Record<string, string> } = {},
): Promise<HookScene> {
  const s = await libraryScene([reply(...calls), reply(say('done'))], config, { tools: [order], ...hooks });
  const thread = await s.agent.startThread(s.threadOptions(threadOptions));
  const { status, items } = await thread.run('go');
  expect(status).toBe('completed');
  const read = (await s.agent.threads.items(thread.id)).map(({ item }) => item);
  expect(read.filter(({ type }) => type === 'tool_call')).toEqual(items.filter(({ type }) => type === 'tool_call'));
  await s.agent.close();
  return { ...s, items };
}

const outputs = (s: HookScene) => Object.fromEntries(s.outputs(1));
const warnings = (s: HookScene) => s.events.flatMap((event) => (event.type === 'warning' ? [event] : []));
const starts = (s: HookScene) =>
  s.rollout().flatMap((line) => (line.type === 'oxbow' && line.payload.kind === 'call.started' ? [line.payload] : []));

describe('beforeCall', () => {
  test('sees every call that makes sense, built-in ones too, and may deny it', async () => {
    const seen: HookedCall[] = [];
    const context = { tenant: 'a' };
    const contexts: unknown[] = [];
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch';
    const s = await hookedTurn(
      [
        call('order', { article: 'tea' }, { callId: 'own' }),
        call('order', {}, { callId: 'wrong' }),
        call('exec_command', { cmd: 'touch made' }, { callId: 'command' }),
        customCall('apply_patch', patch, { callId: 'patch' }),
      ],
      {
        beforeCall(hooked, thread) {
          seen.push(hooked);
          contexts.push(thread.context);
          expect(thread.signal.aborted).toBe(false);
          return hooked.name === 'order' ? undefined : { deny: `Not today: ${hooked.action.kind}.` };
        },
      },
      { thread: { context } },
    );
    const byId = Object.fromEntries(seen.map((hooked) => [hooked.callId, hooked]));
    expect(new Set(Object.keys(byId))).toEqual(new Set(['command', 'own', 'patch']));
    expect(byId).toMatchObject({
      own: { name: 'order', args: { article: 'tea' }, action: { kind: 'own' } },
      command: { name: 'exec_command', args: { cmd: 'touch made' }, action: { kind: 'command' } },
      patch: { name: 'apply_patch', args: patch, action: { kind: 'patch' } },
    });
    expect(contexts.every((one) => one === context)).toBe(true);
    expect(outputs(s)).toMatchObject({
      own: 'ordered 1 tea',
      command: 'Not today: command.',
      patch: 'Not today: patch.',
    });
    expect(existsSync(join(s.workspace.path, 'made'))).toBe(false);
    expect(s.items.filter(({ type }) => type !== 'tool_call')).toMatchObject([
      { type: 'command', status: 'declined' },
      { type: 'file_change', status: 'declined' },
      { type: 'agent_message' },
    ]);
    expect(starts(s).map(({ call_id }) => call_id)).toEqual(['own']);
  });

  test('may replace the arguments of any tool, which are checked again', async () => {
    const patch = (name: string) => `*** Begin Patch\n*** Add File: ${name}\n+text\n*** End Patch`;
    const replacements: Readonly<Record<string, unknown>> = {
      own: { article: 'tea', count: 2 },
      wrong: { article: 'tea', count: 99 },
      command: { cmd: 'echo replaced > made' },
      patch: patch('b.txt'),
    };
    const s = await hookedTurn(
      [
        call('order', { article: 'tea', count: 9 }, { callId: 'own' }),
        call('order', { article: 'tea' }, { callId: 'wrong' }),
        call('exec_command', { cmd: 'echo original > made' }, { callId: 'command' }),
        customCall('apply_patch', patch('a.txt'), { callId: 'patch' }),
      ],
      { beforeCall: async ({ callId }) => ({ args: replacements[callId] }) },
    );
    expect(outputs(s)).toMatchObject({
      own: 'ordered 2 tea',
      wrong: expect.stringContaining('invalid value for `count`: expected at most 10, got 99'),
    });
    expect(readFileSync(join(s.workspace.path, 'made'), 'utf8')).toBe('replaced\n');
    expect(existsSync(join(s.workspace.path, 'b.txt'))).toBe(true);
    expect(existsSync(join(s.workspace.path, 'a.txt'))).toBe(false);
    expect(s.items).toContainEqual(
      expect.objectContaining({ type: 'tool_call', id: 'own', arguments: '{"article":"tea","count":2}' }),
    );
    expect(s.items).toContainEqual(expect.objectContaining({ id: 'wrong', arguments: '{"article":"tea"}' }));
    expect(starts(s)).toContainEqual(
      expect.objectContaining({ call_id: 'own', arguments: '{"article":"tea","count":2}' }),
    );
    // The model reads its own call, as it made it.
    expect(JSON.stringify(s.model.requests[1]?.body.input)).toContain('\\"count\\":9');
    expect(warnings(s)).toMatchObject([{ code: 'callback', message: expect.stringContaining('do not fit') }]);
  });

  test('comes before the user is asked, who sees the replaced arguments', async () => {
    const asked: string[] = [];
    await hookedTurn(
      [call('exec_command', { cmd: 'touch secret', sandbox_permissions: 'require_escalated', justification: 'x' })],
      { beforeCall: ({ args }) => ({ args: { ...(args as object), cmd: 'touch harmless' } }) },
      {
        config: { approval_policy: 'on-request', sandbox_mode: 'workspace-write' },
        thread: {
          ask({ shown }) {
            asked.push(shown);
            return 'denied';
          },
        },
      },
    );
    expect(asked).toEqual([expect.stringContaining('touch harmless')]);
  });

  test.each<[string, Required<CallHooks>['beforeCall'], string]>([
    ['throws', () => Promise.reject(new Error('my bug')), 'my bug'],
    ['returns nonsense', () => 'no' as never, 'neither { deny } nor { args }'],
    ['returns arguments that are not an object', () => ({ args: 'tea' }), 'args that are not an object'],
    ['returns arguments that are not JSON', () => ({ args: { count: 5n } }), 'BigInt'],
  ])('that %s denies the call, and is reported once', async (_, beforeCall, told) => {
    const s = await hookedTurn([call('order', { article: 'tea' }, { callId: 'a' })], { beforeCall });
    expect(outputs(s)).toEqual({ a: 'The call was denied, because the check before it failed.' });
    expect(warnings(s)).toMatchObject([{ code: 'callback', message: expect.stringContaining(told) }]);
    expect(starts(s)).toEqual([]);
  });
});

describe('afterCall', () => {
  test('sees the result of each call that ran, and may replace it', async () => {
    const seen: Record<string, unknown> = {};
    const s = await hookedTurn(
      [
        call('order', { article: 'tea' }, { callId: 'good' }),
        call('order', { article: 'nothing' }, { callId: 'fails' }),
        call('order', { article: 'ink' }, { callId: 'judged' }),
        call('order', {}, { callId: 'wrong' }),
        call('exec_command', { cmd: 'echo the key is 1234' }, { callId: 'command' }),
      ],
      {
        afterCall({ callId }, { output, success }) {
          seen[callId] = [success, output];
          if (callId === 'judged') return { output: [{ type: 'input_text', text: 'refused' }], success: false };
          return callId === 'good' ? undefined : { output: String(output).replaceAll('1234', '****') };
        },
      },
    );
    expect(seen).toEqual({
      good: [true, 'ordered 1 tea'],
      fails: [false, 'err: sold out'],
      judged: [true, 'ordered 1 ink'],
      command: [true, expect.stringContaining('the key is 1234')],
    });
    expect(outputs(s)).toMatchObject({
      good: 'ordered 1 tea',
      fails: 'err: sold out',
      judged: 'refused',
      command: expect.stringContaining('the key is ****'),
    });
    const kept = s
      .rollout()
      .flatMap((line) =>
        line.type === 'response_item' && line.payload.type === 'function_call_output'
          ? [[line.payload.call_id, line.metadata?.success]]
          : [],
      );
    expect(Object.fromEntries(kept)).toEqual({ good: true, fails: false, judged: false, wrong: false, command: true });
    expect(s.items).toContainEqual(expect.objectContaining({ id: 'judged', output: 'refused', status: 'failed' }));
  });

  test.each<[string, Required<CallHooks>['afterCall'], string]>([
    ['throws', () => Promise.reject(new Error('my bug')), 'my bug'],
    ['returns nonsense', () => 5 as never, 'neither a text nor { output }'],
  ])('that %s leaves the result, and is reported once', async (_, afterCall, told) => {
    const s = await hookedTurn([call('order', { article: 'tea' }, { callId: 'a' })], { afterCall });
    expect(outputs(s)).toEqual({ a: 'ordered 1 tea' });
    expect(warnings(s)).toMatchObject([{ code: 'callback', message: expect.stringContaining(told) }]);
  });
});

test('the hooks of a thread run inside those of its agent', async () => {
  const log: string[] = [];
  const hooks = (who: string): CallHooks => ({
    beforeCall({ args }) {
      const { article } = args as { article: string };
      log.push(`${who} before ${article}`);
      return { args: { article: `${article}-${who}` } };
    },
    afterCall(_, { output }) {
      log.push(`${who} after ${output}`);
      return { output: `${output} (${who})` };
    },
  });
  const s = await hookedTurn([call('order', { article: 'tea' }, { callId: 'a' })], hooks('agent'), {
    thread: hooks('thread'),
  });
  expect(log).toEqual([
    'agent before tea',
    'thread before tea-agent',
    'thread after ordered 1 tea-agent-thread',
    'agent after ordered 1 tea-agent-thread (thread)',
  ]);
  expect(outputs(s)).toEqual({ a: 'ordered 1 tea-agent-thread (thread) (agent)' });
});

test('an interrupted turn does not wait for a hook', async () => {
  const s = await libraryScene(
    [reply(call('order', { article: 'tea' }))],
    {},
    {
      tools: [order],
      beforeCall: () => new Promise<undefined>(() => {}),
    },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  const turn = thread.run('go');
  await expect.poll(() => s.events.some(({ type }) => type === 'request.ended'), { timeout: 20_000 }).toBe(true);
  await thread.abort();
  expect(await turn).toMatchObject({ status: 'aborted' });
  await s.agent.close();
});
