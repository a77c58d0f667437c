import { expect, test } from 'vitest';
import type { Event } from '../../../src/index.ts';
import { call, customCall, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const config = { approval_policy: 'on-request', sandbox_mode: 'read-only' };
const PATCH = '*** Begin Patch\n*** Add File: added\n+x\n*** End Patch';
const patch = customCall('apply_patch', PATCH, { callId: 'patch' });
const escalated = call(
  'exec_command',
  { cmd: 'touch made', sandbox_permissions: 'require_escalated', justification: 'Needs it.' },
  { callId: 'command' },
);
const read = call('exec_command', { cmd: 'echo read' }, { callId: 'read' });

test.each([
  ['a patch', [patch, read]],
  ['a command, and a patch waits for it', [escalated, patch, read]],
])('while the question about %s waits, later calls that only read go on', async (_, calls) => {
  const s = await libraryScene([reply(...calls), reply(say('done'))], config);
  let readHasEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    readHasEnded = resolve;
  });
  const onEvent = (event: Event) => {
    s.events.push(event);
    if (event.type === 'call.ended' && event.callId === 'read') readHasEnded();
  };
  const thread = await s.agent.startThread({
    onEvent,
    async ask() {
      await ended;
      return { type: 'approve' };
    },
  });
  const { status } = await thread.run('go');
  await thread.close();
  expect(status).toBe('completed');
  const ends = s.events.flatMap((event) => (event.type === 'call.ended' ? [`${event.callId} ${event.success}`] : []));
  expect(ends[0]).toBe('read true');
  expect(ends).toHaveLength(calls.length);
  expect(ends.every((end) => end.endsWith('true'))).toBe(true);
  // The model reads the outputs in the order of its calls.
  expect([...s.outputs(1).keys()]).toEqual(calls.map(({ callId }) => callId));
});
