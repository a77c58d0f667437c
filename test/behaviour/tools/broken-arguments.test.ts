import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { outputsOf, over, WIRES } from '../../harness/wires.ts';

const WHOLE = call('exec_command', { cmd: 'echo ran' }, { callId: 'whole' });
const BROKEN = call('exec_command', '{"cmd": bad', { callId: 'broken' });

test.each(WIRES)(
  'over %s, a call whose arguments break off before another call is told so; the other runs',
  async (wire) => {
    const s = await libraryScene([reply(BROKEN, WHOLE), reply(say('done'))], over(wire));
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    await thread.close();
    expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
    const outputs = outputsOf(s.model, 1);
    expect(outputs.get('broken')).toMatch(/^failed to parse function arguments: /);
    expect(outputs.get('whole')).toContain('ran\n');
    for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
  },
);

/** Wires on which arguments grow. On others a call comes whole. */
const GROWING = WIRES.filter((wire) => wire !== 'ollama');

test.each(GROWING)('over %s, a last call whose arguments break off was cut off', async (wire) => {
  const s = await libraryScene([reply(WHOLE, BROKEN)], over(wire));
  const thread = await s.agent.startThread(s.threadOptions());
  const result = await thread.run('go');
  await thread.close();
  expect(result).toMatchObject({ status: 'failed', error: { code: 'incomplete' } });
});
