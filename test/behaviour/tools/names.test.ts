import { describe, expect, test } from 'vitest';
import { call, customCall, raw, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { outputsOf, over, WIRES, type WireName } from '../../harness/wires.ts';

const COMMAND_TOOLS = ['exec_command', 'shell', 'shell_command', 'local_shell', 'unified_exec'];
const PATCH = '*** Begin Patch\n*** Add File: NAME\n+text\n*** End Patch\n';
const patch = (name: string) => PATCH.replace('NAME', name);

/** One call under each name that is understood. */
const CALLS = reply(
  call('exec_command', { cmd: 'echo 1' }, { callId: 'exec_command' }),
  call('shell', { command: ['echo', '2'] }, { callId: 'shell' }),
  call('container.exec', { command: ['echo', '3'] }, { callId: 'container_exec' }),
  call('local_shell', { command: ['echo', '4'], env: { X: '4' } }, { callId: 'local_shell' }),
  call('shell_command', { command: 'echo 5' }, { callId: 'shell_command' }),
  call('unified_exec', { input: ['echo', '6'], timeout_ms: 30_000 }, { callId: 'unified_exec' }),
  call('write_stdin', { session_id: 7 }, { callId: 'write_stdin' }),
  call('apply_patch', { input: patch('a.txt') }, { callId: 'apply_patch' }),
  customCall('apply_patch', patch('b.txt'), { callId: 'custom_patch' }),
  call('applypatch', { input: patch('c.txt') }, { callId: 'applypatch' }),
  call('view_image', { path: 'none.png' }, { callId: 'view_image' }),
  call('update_plan', { plan: [{ step: 's', status: 'in_progress' }] }, { callId: 'update_plan' }),
  call('web_search', { query: 'q' }, { callId: 'web_search' }),
);

const ANSWERS: Readonly<Record<string, RegExp>> = {
  exec_command: /^Chunk ID: [\s\S]*code 0\n[\s\S]*Output:\n1\n$/,
  shell: /^\{"output":"2\\n","metadata":\{"exit_code":0,"duration_seconds":\d+(\.\d)?\}\}$/,
  container_exec: /^\{"output":"3\\n","metadata":\{"exit_code":0,/,
  local_shell: /^\{"output":"4\\n","metadata":\{"exit_code":0,/,
  shell_command: /^Exit code: 0\nWall time: \d+(\.\d)? seconds\nOutput:\n5\n$/,
  unified_exec: /code 0\n[\s\S]*Output:\n6\r?\n$/,
  write_stdin: /^write_stdin failed: Unknown process id 7$/,
  apply_patch: /^Exit code: 0\n[\s\S]*A a\.txt/,
  custom_patch: /^Exit code: 0\n[\s\S]*A b\.txt/,
  applypatch: /^Exit code: 0\n[\s\S]*A c\.txt/,
  view_image: /^unable to locate image at `/,
  update_plan: /^Plan updated$/,
  web_search: /^web_search cannot be used: no search command is configured/,
};

/** Every tool on two wires, and one tool on the others, which offer functions too. */
const cases = WIRES.flatMap((wire, index) =>
  COMMAND_TOOLS.slice(0, index < 2 ? undefined : 1).map((command) => [wire, command] as const),
);

describe.each(cases)('over %s, where %s is offered', (wire: WireName, command) => {
  test('every name is accepted', async () => {
    const s = await libraryScene([CALLS, reply(say('done'))], over(wire, { tools: { command } }));
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    await thread.close();
    expect(result.status).toBe('completed');
    const outputs = outputsOf(s.model, 1);
    expect(new Set(outputs.keys())).toEqual(new Set(Object.keys(ANSWERS)));
    for (const [id, answer] of Object.entries(ANSWERS)) expect(outputs.get(id), id).toMatch(answer);
    expect(['a.txt', 'b.txt', 'c.txt'].map((name) => s.workspace.read(name))).toEqual(['text\n', 'text\n', 'text\n']);
  });
});

test('free text that is JSON becomes the arguments of a function, other text does not', async () => {
  const s = await libraryScene([
    reply(
      customCall('exec_command', '{"cmd":"echo converted"}', { callId: 'json' }),
      customCall('exec_command', 'echo plain', { callId: 'plain' }),
      customCall('update_plan', '{"plan":[]}', { callId: 'plan' }),
    ),
    reply(say('done')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  const outputs = outputsOf(s.model, 1);
  expect(outputs.get('json')).toContain('Output:\nconverted\n');
  expect(outputs.get('plain')).toBe('exec_command does not take a custom call');
  expect(outputs.get('plan')).toBe('Plan updated');
  // The record has the kind that the model chose; the server gets the kind in which the tools were offered.
  const recorded = s.rollout().map(({ payload }) => ('type' in payload ? payload.type : ''));
  expect(recorded.filter((type) => type === 'custom_tool_call_output')).toHaveLength(3);
  const sent = s.model.requests[1]?.body.input?.map(({ type }) => type) ?? [];
  expect(sent.filter((type) => type === 'function_call_output')).toHaveLength(3);
});

describe('local_shell_call', () => {
  const item = (fields: object) => ({
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'call_1',
    status: 'completed',
    action: { type: 'exec', command: ['sh', '-c', 'echo $GREETING; pwd'], env: {}, ...fields },
  });
  const done = (fields: object) => raw({ type: 'response.output_item.done', output_index: 0, item: item(fields) });

  async function answerTo(fields: object): Promise<string> {
    const s = await libraryScene([reply(done(fields)), reply(say('done'))], { tools: { command: 'local_shell' } });
    s.workspace.write('sub/file', '');
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    await thread.close();
    expect(s.model.requests[0]?.body.tools?.[0]).toEqual({ type: 'local_shell' });
    const [sent, output] = s.model.requests[1]?.body.input?.slice(-2) ?? [];
    expect(sent).toEqual(item(fields));
    expect(output).toMatchObject({ type: 'function_call_output', call_id: 'call_1' });
    return outputsOf(s.model, 1).get('call_1') ?? '';
  }

  test('runs with its variables in its folder', async () => {
    const output = await answerTo({ env: { GREETING: 'hello' }, working_directory: 'sub', timeout_ms: 20_000 });
    expect(JSON.parse(output)).toMatchObject({
      output: expect.stringMatching(/^hello\n\/.*\/sub\n$/),
      metadata: { exit_code: 0 },
    });
  });

  test('does not run as another user', async () => {
    expect(await answerTo({ user: 'nobody-else' })).toMatch(/^Commands run as \S+, not as nobody-else: /);
  });
});
