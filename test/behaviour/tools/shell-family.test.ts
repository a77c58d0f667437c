import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { processesWith } from '../../harness/processes.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';
import { outputsOf } from '../../harness/wires.ts';

const TOOLS = [
  ['shell', (script: string, more: object) => call('shell', { command: ['sh', '-c', script], ...more })],
  [
    'container.exec',
    (script: string, more: object) => call('container.exec', { command: ['sh', '-c', script], ...more }),
  ],
  ['local_shell', (script: string, more: object) => call('local_shell', { command: ['sh', '-c', script], ...more })],
  ['shell_command', (script: string, more: object) => call('shell_command', { command: script, ...more })],
] as const;

type MakeCall = (typeof TOOLS)[number][1];

async function run(make: MakeCall, script: string, more: object = {}, config: ConfigTable = {}) {
  const s = await libraryScene([reply({ ...make(script, more), callId: 'it' }), reply(say('done'))], config);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  const output = outputsOf(s.model, 1).get('it') ?? '';
  const ended = s.events.find((event) => event.type === 'call.ended');
  const command = s.events.flatMap((event) =>
    event.type === 'item.completed' && event.item.type === 'command' ? [event.item] : [],
  );
  return { output, ended, command };
}

const SCRIPT = 'echo out; echo err >&2; exit 3';
const asText = /^Exit code: 3\nWall time: \d+(\.\d)? seconds\nOutput:\nout\nerr\n$/;
const asJson = /^\{"output":"out\\nerr\\n","metadata":\{"exit_code":3,"duration_seconds":\d+(\.\d)?\}\}$/;

describe.each(TOOLS)('%s', (name, make) => {
  test('answers in its own form, or in the one from the config', async () => {
    const own = name === 'shell_command' ? asText : asJson;
    expect((await run(make, SCRIPT)).output).toMatch(own);
    expect((await run(make, SCRIPT, {}, { tools: { shell_output: 'text' } })).output).toMatch(asText);
    expect((await run(make, SCRIPT, {}, { tools: { shell_output: 'json' } })).output).toMatch(asJson);
  });

  test('kills a command that takes too long, with all its processes', async () => {
    const marker = `oxbow-shell-${process.pid}-${name.replace(/\W/g, '')}`;
    const script = `echo some; (setsid sleep 600.1 ${marker} || setsid sh -c 'sleep 600; : ${marker}') & wait`;
    const { output, ended } = await run(make, script, { timeout_ms: 700 }, { tools: { shell_output: 'json' } });
    expect(JSON.parse(output)).toEqual({
      output: expect.stringMatching(/^command timed out after 700 milliseconds\nsome\n/),
      metadata: { exit_code: 124, duration_seconds: expect.any(Number) },
    });
    expect(ended).toMatchObject({ success: false, failure: 'timeout' });
    expect(processesWith(marker)).toEqual([]);
  });

  test('truncates a long output in the middle', async () => {
    const config = { tools: { shell_output: 'text' }, tool_output_token_limit: 500 };
    const { output, command } = await run(make, 'seq 1 5000', {}, config);
    expect(output).toMatch(
      /^Exit code: 0\nWall time: .* seconds\nTotal output lines: 5000\nOutput:\n1\n2\n.*tokens truncated/s,
    );
    expect(command[0]?.output).toContain('\n2500\n');
  });
});

test('a command has 10 seconds unless the call says otherwise', async () => {
  const startedAt = performance.now();
  const [, make] = TOOLS[3];
  const { output } = await run(make, 'sleep 600');
  expect(output).toMatch(
    /^Exit code: 124\nWall time: 1\d(\.\d)? seconds\nOutput:\ncommand timed out after 10000 milli/,
  );
  expect(performance.now() - startedAt).toBeGreaterThan(9_900);
});

test('leaving the sandbox is refused when there is no user to ask', async () => {
  const config = { sandbox_mode: 'read-only', approval_policy: 'never' };
  for (const [, make] of TOOLS) {
    for (const asking of [{ with_escalated_permissions: true }, { sandbox_permissions: 'require_escalated' }]) {
      const { output, command } = await run(make, 'true', { ...asking, justification: 'why not' }, config);
      expect(output).toContain('you cannot ask for escalated permissions if the approval policy is Never');
      expect(command).toMatchObject([{ status: 'declined' }]);
    }
  }
});

test('rules and approvals see the variables of a call', async () => {
  const s = await libraryScene(
    [
      reply(call('local_shell', { command: ['rm', '-rf', 'x'], env: { PATH: '/tmp' } }, { callId: 'it' })),
      reply(say('done')),
    ],
    { approval_policy: 'never' },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  expect(outputsOf(s.model, 1).get('it')).toContain('`env PATH=/tmp rm -rf x` rejected');
});
