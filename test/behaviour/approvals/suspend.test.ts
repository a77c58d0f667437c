import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandAction, OwnAction } from '../../../src/base/action.ts';
import type { LogLine } from '../../../src/base/log.ts';
import {
  type AgentOptions,
  type Answer,
  defineTool,
  type LaterAnswer,
  type RunOptions,
  UserError,
} from '../../../src/index.ts';
import { call, customCall, pause, reply, type Script, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { requestFaults } from '../../harness/request-faults.ts';

const config = { approval_policy: 'on-request', sandbox_mode: 'read-only' };
const escalated = (cmd: string, callId: string) =>
  call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'Needs it.' }, { callId });
const touch = (name: string) => escalated(`touch "$HOME/${name}"`, name);
const read = call('exec_command', { cmd: 'echo read' }, { callId: 'read' });
const addFile = (name: string) =>
  customCall('apply_patch', `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch\n`, { callId: name });
const patch = customCall('apply_patch', '*** Begin Patch\n*** Update File: file\n@@\n-a\n+b\n*** End Patch\n', {
  callId: 'patch',
});

const suspend = (): Answer => ({ type: 'suspend' });

/** Runs a turn that is suspended, and closes its thread. */
async function suspended(script: Script, options: AgentOptions = {}, file?: string) {
  const s = await libraryScene(script, config, options);
  if (file !== undefined) writeFileSync(s.workspace.file('file'), file);
  const thread = await s.agent.startThread(s.threadOptions({ ask: suspend }));
  const result = await thread.run('go');
  await thread.close();
  expect(result.status).toBe('suspended');
  return { s, id: thread.id, asks: result.asks ?? [] };
}

type Suspended = Awaited<ReturnType<typeof suspended>>;

/** Takes the thread up again from its log. */
const resumed = ({ s, id }: Suspended) => s.agent.resumeThread(id, s.threadOptions());

const made = (s: LibraryScene, name: string) => existsSync(join(s.workspace.home, name));
const kinds = (s: LibraryScene) =>
  s
    .rollout()
    .map((line: LogLine) =>
      line.type === 'oxbow' ? line.payload.kind : ((line.payload as { type?: string }).type ?? line.type),
    );
const done = reply(say('done'));
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof UserError ? error.code : error),
  );

async function answered(one: Suspended, answer: LaterAnswer, options: RunOptions<undefined> = {}) {
  const thread = await resumed(one);
  const result = await thread.answer(thread.asks[0]?.id ?? '', answer, options);
  await thread.close();
  expect(one.s.model.unexpected).toEqual([]);
  for (const { body } of one.s.model.requests) expect(requestFaults(body)).toEqual([]);
  return result;
}

describe('a suspended question', () => {
  test('ends the turn, is in the log and is open when the thread is resumed', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const { s, asks } = one;
    expect(asks).toMatchObject([{ callId: 'made', reason: 'Needs it.', action: { kind: 'command' } }]);
    expect(s.events.at(-1)).toMatchObject({ type: 'turn.suspended', asks });
    expect(s.model.requests).toHaveLength(1);
    expect(kinds(s).slice(-1)).toEqual(['turn.suspended']);
    const thread = await resumed(one);
    expect(thread.asks).toEqual(asks);
    const details = await s.agent.threads.show(one.id);
    expect(details.turns).toMatchObject([{ number: 1, status: 'suspended', input: 'go' }]);
    await thread.close();
  });

  test('runs its call when it is approved, and the turn goes on', async () => {
    const one = await suspended([reply(touch('made')), done]);
    expect(made(one.s, 'made')).toBe(false);
    const result = await answered(one, 'approved');
    expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(made(one.s, 'made')).toBe(true);
    expect(one.s.outputs(1).get('made')).toContain('Process exited with code 0');
    const { turns } = await one.s.agent.threads.show(one.id);
    expect(turns).toMatchObject([{ status: 'suspended' }, { status: 'completed', input: null, answer: 'done' }]);
  });

  test('that is declined lets the model read why', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const result = await answered(one, { type: 'decline', message: 'Not on a Friday.' });
    expect(result.status).toBe('completed');
    expect(made(one.s, 'made')).toBe(false);
    expect(one.s.outputs(1).get('made')).toBe('rejected by user: Not on a Friday.');
    expect(result.items).toContainEqual(expect.objectContaining({ type: 'command', status: 'declined' }));
  });

  test('that is answered with abort ends the turn', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const result = await answered(one, { type: 'abort' });
    expect(result.status).toBe('aborted');
    expect(one.s.model.requests).toHaveLength(1);
    expect(made(one.s, 'made')).toBe(false);
    const thread = await resumed(one);
    expect(thread.asks).toEqual([]);
    await thread.close();
  });

  test('can be answered with another action', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const action = one.asks[0]?.action as CommandAction;
    const edit = { ...action, argv: ['/bin/bash', '-c', 'touch "$HOME/other"'] };
    // The policy demands a question about the edited command too, and that question is suspended in its turn.
    const again = await answered(one, { type: 'edit', action: edit });
    expect(again).toMatchObject({ status: 'suspended', asks: [{ callId: 'made', action: edit }] });
    const result = await answered(one, 'approved');
    expect(result.status).toBe('completed');
    expect([made(one.s, 'made'), made(one.s, 'other')]).toEqual([false, true]);
    expect(one.s.outputs(1).get('made')).toContain('The user changed this command before it ran.');
  });

  test('has one answer, which must fit', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const thread = await resumed(one);
    const id = one.asks[0]?.id ?? '';
    expect(await code(thread.answer('nonsense', 'approved'))).toBe('not_found');
    expect(await code(thread.answer(id, { type: 'suspend' } as unknown as LaterAnswer))).toBe('invalid_input');
    expect(await code(thread.answer(id, 'perhaps' as LaterAnswer))).toBe('invalid_input');
    expect(await code(thread.compact())).toBe('in_use');
    const running = thread.answer(id, 'approved');
    expect(await code(thread.answer(id, 'approved'))).toBe('in_use');
    expect((await running).status).toBe('completed');
    expect(await code(thread.answer(id, 'denied'))).toBe('nothing_to_do');
    await thread.close();
    const later = await resumed(one);
    expect(await code(later.answer(id, 'denied'))).toBe('nothing_to_do');
    await later.close();
  });

  test('is declined by new input, and the model reads that', async () => {
    const one = await suspended([reply(touch('made'), read), done]);
    const thread = await resumed(one);
    const result = await thread.run('Something else.');
    expect(result.status).toBe('completed');
    expect(thread.asks).toEqual([]);
    expect(await code(thread.answer(one.asks[0]?.id ?? '', 'approved'))).toBe('nothing_to_do');
    await thread.close();
    expect(made(one.s, 'made')).toBe(false);
    expect(one.s.outputs(1).get('made')).toBe(
      'Not run: the user was asked whether it may run, and went on without an answer to the question.',
    );
    expect(one.s.outputs(1).get('read')).toContain('read\n');
    expect(requestFaults(one.s.model.requests[1]?.body ?? {})).toEqual([]);
  });

  test('goes when its turn is taken back, and stays behind when its thread is forked', async () => {
    const one = await suspended([reply(touch('made')), done, done]);
    const fork = await one.s.agent.forkThread(one.id, one.s.threadOptions());
    expect(fork.asks).toEqual([]);
    expect((await fork.run('go on')).status).toBe('completed');
    await fork.close();
    expect(one.s.outputs(1).get('made')).toContain('stays with the thread');
    const thread = await resumed(one);
    expect(thread.asks).toHaveLength(1);
    await thread.rollBack(1);
    expect(thread.asks).toEqual([]);
    expect((await thread.run('again')).status).toBe('completed');
    expect(one.s.outputs(2).size).toBe(0);
    await thread.close();
  });

  test('waits for queued input too, which comes after the output', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const thread = await resumed(one);
    await thread.steer('By the way.');
    const { status } = await thread.answer(thread.asks[0]?.id ?? '', 'approved');
    await thread.close();
    expect(status).toBe('completed');
    expect(JSON.stringify(one.s.model.requests[1]?.body.input?.at(-1))).toContain('By the way.');
  });
});

describe('a turn with a suspended question', () => {
  test('that is interrupted while another call runs closes the question', async () => {
    const slow = call('exec_command', { cmd: 'sleep 60' }, { callId: 'slow' });
    const s = await libraryScene([reply(touch('made'), slow), done], config);
    const thread = await s.agent.startThread(s.threadOptions({ ask: suspend }));
    thread.subscribe((event) => {
      if (event.type === 'call.started' && event.callId === 'slow') void thread.abort();
    });
    expect((await thread.run('go')).status).toBe('aborted');
    expect(thread.asks).toEqual([]);
    expect((await thread.run('go on')).status).toBe('completed');
    await thread.close();
    expect(s.outputs(1).get('made')).toMatch(/^Not run/);
    expect(requestFaults(s.model.requests[1]?.body ?? {})).toEqual([]);
  });

  test('whose response is cut off is suspended all the same, and no request is made before the answer', async () => {
    const one = await suspended([reply(touch('made'), pause(50), { incomplete: 'max_output_tokens' }), done]);
    expect(one.s.model.requests).toHaveLength(1);
    expect((await answered(one, 'approved')).status).toBe('completed');
    expect(made(one.s, 'made')).toBe(true);
  });

  test('cannot be suspended after its command has run: the command is not repeated outside', async () => {
    const command = call('exec_command', { cmd: 'touch "$HOME/made"' }, { callId: 'made' });
    const s = await libraryScene([reply(command), done], { ...config, approval_policy: 'on-failure' });
    const asked: unknown[] = [];
    const ask = (question: unknown): Answer => {
      asked.push(question);
      return suspend();
    };
    const thread = await s.agent.startThread(s.threadOptions({ ask }));
    expect((await thread.run('go')).status).toBe('completed');
    await thread.close();
    expect(asked).toHaveLength(1);
    expect(made(s, 'made')).toBe(false);
  });
});

describe('several questions', () => {
  test('are open at once, each answer runs its call, and the last one lets the model go on', async () => {
    const calls = [touch('one'), read, addFile('two'), touch('three')];
    const one = await suspended([reply(...calls), done]);
    const { s } = one;
    expect(one.asks.map(({ callId }) => callId)).toEqual(['one', 'two', 'three']);
    const thread = await resumed(one);
    const answer = (callId: string, how: LaterAnswer) =>
      thread.answer(thread.asks.find((ask) => ask.callId === callId)?.id ?? '', how);
    const first = await answer('three', 'approved');
    expect(first).toMatchObject({ status: 'suspended', asks: [{ callId: 'one' }, { callId: 'two' }] });
    expect([made(s, 'one'), made(s, 'three')]).toEqual([false, true]);
    const second = await answer('two', 'approved');
    expect(second).toMatchObject({ status: 'suspended', asks: [{ callId: 'one' }] });
    expect(s.workspace.read('two')).toBe('x\n');
    expect(s.model.requests).toHaveLength(1);
    expect((await answer('one', 'denied')).status).toBe('completed');
    await thread.close();
    const outputs = s.outputs(1);
    expect([...outputs.keys()].sort()).toEqual(['one', 'read', 'three', 'two']);
    expect(outputs.get('one')).toBe('rejected by user');
    expect(requestFaults(s.model.requests[1]?.body ?? {})).toEqual([]);
    const started = s
      .rollout()
      .flatMap((line) => (line.type === 'oxbow' && line.payload.kind === 'call.started' ? [line.payload.call_id] : []));
    expect(started.sort()).toEqual(['read', 'three', 'two']);
  });

  test('of which one is answered with abort are all closed', async () => {
    const one = await suspended([reply(touch('one'), touch('two')), done]);
    const thread = await resumed(one);
    expect((await thread.answer(thread.asks[1]?.id ?? '', { type: 'abort' })).status).toBe('aborted');
    expect(thread.asks).toEqual([]);
    expect((await thread.run('go on')).status).toBe('completed');
    await thread.close();
    expect(requestFaults(one.s.model.requests[1]?.body ?? {})).toEqual([]);
  });
});

describe('an approved call is planned and judged again', () => {
  test('a patch whose file changed elsewhere is asked about again, as it would change the file now', async () => {
    const one = await suspended([reply(patch), done], {}, 'a\nold\n');
    writeFileSync(one.s.workspace.file('file'), 'a\nnew\n');
    const again = await answered(one, 'approved');
    expect(again).toMatchObject({ status: 'suspended', asks: [{ action: { changes: [{ after: 'b\nnew\n' }] } }] });
    expect(one.s.workspace.read('file')).toBe('a\nnew\n');
    expect((await answered(one, 'approved')).status).toBe('completed');
    expect(one.s.workspace.read('file')).toBe('b\nnew\n');
  });

  test('a patch whose lines are gone fails, and the model reads that', async () => {
    const one = await suspended([reply(patch), done], {}, 'a\n');
    writeFileSync(one.s.workspace.file('file'), 'c\n');
    expect((await answered(one, 'approved')).status).toBe('completed');
    expect(one.s.workspace.read('file')).toBe('c\n');
    expect(one.s.outputs(1).get('patch')).toMatch(/Failed to find|does not/i);
  });

  test('a policy that now forbids the call counts more than the approval', async () => {
    const one = await suspended([reply(touch('made')), done]);
    const result = await answered(one, 'approved', { approvalPolicy: 'never' });
    expect(result.status).toBe('completed');
    expect(made(one.s, 'made')).toBe(false);
    expect(one.s.outputs(1).get('made')).toContain('approval policy');
  });

  test('a tool of the program asks again when its own reason has changed, and not when it has none any longer', async () => {
    const ran: unknown[] = [];
    let reason: string | false = 'It costs 5.';
    const order = defineTool({
      name: 'order',
      description: 'Orders.',
      parameters: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
      needsApproval: () => reason,
      run: ({ count }) => {
        ran.push(count);
        return `ordered ${count}`;
      },
    });
    const one = await suspended([reply(call('order', { count: 3 }, { callId: 'order' })), done], { tools: [order] });
    expect(one.asks).toMatchObject([{ action: { kind: 'own', input: { count: 3 } }, reason: 'It costs 5.' }]);
    reason = 'It costs 7.';
    const again = await answered(one, 'approved');
    expect(again).toMatchObject({ status: 'suspended', asks: [{ reason: 'It costs 7.' }] });
    expect(ran).toEqual([]);
    const action = { ...(again.asks?.[0]?.action as OwnAction), input: { count: 2 } };
    reason = false;
    expect((await answered(one, { type: 'edit', action })).status).toBe('completed');
    expect(ran).toEqual([2]);
    expect(one.s.outputs(1).get('order')).toContain('ordered 2');
  });
});
