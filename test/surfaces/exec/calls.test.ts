import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, customCall, gate, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const waitFor = (file: string) => `while [ ! -e ${file} ]; do sleep 0.02; done`;

test('two commands of one response run at the same time, and their outputs go back in call order', async () => {
  const { model, workspace, outputs } = await scene([
    reply(
      call('exec_command', { cmd: `touch a; ${waitFor('b')}; sleep 0.1; echo first` }, { callId: 'one' }),
      call('exec_command', { cmd: `touch b; ${waitFor('a')}; echo second` }, { callId: 'two' }),
    ),
    reply(say('done')),
  ]);
  // Neither command can end without the other.
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  expect([...outputs(1).keys()]).toEqual(['one', 'two']);
  expect(outputs(1).get('one')).toContain('\nfirst\n');
  expect(outputs(1).get('two')).toContain('\nsecond\n');
});

test('a command starts while the response is still being sent', async () => {
  const files: { started: string } = { started: '' };
  const started = (async () => {
    while (files.started === '' || !existsSync(files.started)) await delay(10);
  })();
  const { model, workspace } = await scene([
    reply(call('exec_command', { cmd: 'touch started' }), gate(started), say('It has begun.')),
    reply(say('done')),
  ]);
  files.started = workspace.file('started');
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
});

test('every fault of a call becomes its output, and the turn goes on', async () => {
  const { model, workspace, outputs, rollout } = await scene([
    reply(
      call('no_such_tool', {}, { callId: 'unknown' }),
      customCall('no_such_tool', 'x', { callId: 'unknown_custom' }),
      call('exec_command', 'echo', { callId: 'words' }),
      call('exec_command', { command: 'x' }, { callId: 'missing' }),
      call('exec_command', { cmd: ['true'] }, { callId: 'type' }),
      call('shell', { command: [] }, { callId: 'empty' }),
      customCall('exec_command', 'x', { callId: 'payload' }),
      call('exec_command', { cmd: 'echo out; echo err >&2; exit 3' }, { callId: 'failing' }),
      call('exec_command', { cmd: 'true', workdir: 'nowhere' }, { callId: 'folder' }),
      call('exec_command', { cmd: 'true', justification: 'why' }, { callId: 'justified' }),
      call('write_stdin', { session_id: 4 }, { callId: 'session' }),
      call('shell', { command: ['no-such-program'] }, { callId: 'program' }),
    ),
    reply(say('done')),
  ]);
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  const output = outputs(1);
  expect(output.get('unknown')).toBe('unsupported call: no_such_tool');
  expect(output.get('unknown_custom')).toBe('unsupported custom tool call: no_such_tool');
  expect(output.get('words')).toMatch(/^failed to parse function arguments: /);
  expect(output.get('missing')).toBe('failed to parse function arguments: missing field `cmd`');
  expect(output.get('type')).toBe(
    'failed to parse function arguments: invalid type for `cmd`: expected string, got array',
  );
  expect(output.get('empty')).toBe('failed to parse function arguments: `command` is empty');
  expect(output.get('payload')).toBe('exec_command does not take a custom call');
  expect(output.get('failing')).toMatch(/Process exited with code 3\n[\s\S]*Output:\nout\nerr\n$/);
  expect(output.get('folder')).toMatch(/^exec_command failed: .*No such file or directory/);
  expect(output.get('justified')).toContain('require_escalated');
  expect(output.get('session')).toBe('write_stdin failed: Unknown process id 4');
  expect(output.get('program')).toContain('No such file or directory');
  expect(output.size).toBe(12);
  const failures = rollout().map((line) => (line.type === 'response_item' ? line.metadata?.failure : undefined));
  const count = (kind: string) => failures.filter((failure) => failure === kind).length;
  expect({ parse: count('parse'), execution: count('execution') }).toEqual({ parse: 8, execution: 3 });
});

test('write_stdin reads on from a command that outlives its yield time', async () => {
  const { model, workspace, outputs } = await scene((request, n) => {
    if (n === 1) {
      const cmd = `echo early; ${waitFor('go')}; echo late; exit 7`;
      return reply(call('exec_command', { cmd, yield_time_ms: 250 }, { callId: 'start' }));
    }
    const text = JSON.stringify(request.body.input);
    const session_id = Number(/session ID (\d+)/.exec(text)?.[1]);
    if (n === 2)
      return reply(call('exec_command', { cmd: 'touch go' }), call('write_stdin', { session_id }, { callId: 'poll' }));
    return reply(say('done'));
  });
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  expect(outputs(2).get('start')).toMatch(/\nProcess running with session ID \d+\n[\s\S]*Output:\nearly\n$/);
  expect(outputs(2).get('poll')).toMatch(/\nProcess exited with code 7\n[\s\S]*Output:\nlate\n$/);
  // Either of the two may end first.
  const ended = result.events.flatMap(({ type, item }) => (type === 'item.completed' ? [item] : []));
  expect(ended).toContainEqual(
    expect.objectContaining({ type: 'command_execution', status: 'completed', exit_code: 0 }),
  );
  expect(ended).toContainEqual(expect.objectContaining({ type: 'command_execution', status: 'failed', exit_code: 7 }));
});

test('input to a command without a terminal is refused, and Ctrl-C interrupts the command', async () => {
  const { model, workspace, outputs } = await scene((request, n) => {
    if (n === 1) return reply(call('exec_command', { cmd: 'sleep 60', yield_time_ms: 250 }));
    const session_id = Number(/session ID (\d+)/.exec(JSON.stringify(request.body.input))?.[1]);
    if (n === 2) return reply(call('write_stdin', { session_id, chars: 'y\n' }, { callId: 'typed' }));
    if (n === 3)
      return reply(call('write_stdin', { session_id, chars: '\u0003', yield_time_ms: 10_000 }, { callId: 'stop' }));
    return reply(say('done'));
  });
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  expect(outputs(3).get('typed')).toBe(
    'write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
  );
  expect(outputs(3).get('stop')).toContain('Process exited with code 130');
});

test('shell kills a command that takes too long, and reports it', async () => {
  const { model, workspace, outputs, rollout } = await scene([
    reply(call('shell', { command: ['bash', '-c', 'echo some; sleep 60'], timeout_ms: 300 }, { callId: 'slow' })),
    reply(say('done')),
  ]);
  await runOxbow(['exec', '--json', 'go'], { workspace, model });
  const answer = JSON.parse(outputs(1).get('slow') ?? '') as unknown;
  expect(answer).toEqual({
    output: 'command timed out after 300 milliseconds\nsome\n',
    metadata: { exit_code: 124, duration_seconds: expect.any(Number) },
  });
  const outputLine = rollout().find(
    (line) => line.type === 'response_item' && line.payload.type === 'function_call_output',
  );
  expect(outputLine).toMatchObject({ metadata: { success: false, failure: 'timeout' } });
});

test('end_turn false sends another request without a call', async () => {
  const { model, workspace } = await scene([reply(say('thinking on'), { endTurn: false }), reply(say('done'))]);
  const result = await runOxbow(['exec', 'go'], { workspace, model });
  expect(model.requests).toHaveLength(2);
  expect(result.stdout).toBe('done\n');
});

test('commands get the login environment, the variables of Oxbow, and no secrets', async () => {
  const { model, workspace, outputs } = await scene([
    reply(call('exec_command', { cmd: 'env; echo "profile=$FROM_PROFILE"' }, { callId: 'env' })),
    reply(say('done')),
  ]);
  const options = { workspace, model, env: { MY_TOKEN: 'secret-1', OTHER: 'kept' } };
  workspace.write('../home/.profile', 'export FROM_PROFILE=yes');
  workspace.write('../home/.bash_profile', 'export FROM_PROFILE=yes; echo noise');
  await runOxbow(['exec', '--json', 'go'], options);
  const text = outputs(1).get('env') ?? '';
  expect(text).toContain('OTHER=kept');
  expect(text).toContain('CODEX_CI=1');
  expect(text).toContain('CODEX_TOOL_CALL_ID=env');
  expect(text).toContain('profile=yes');
  expect(text).not.toContain('secret-1');
  expect(text).not.toContain('scripted-key');
});

test('many calls in one response run without warnings', async () => {
  const calls = Array.from({ length: 40 }, (_, n) => call('exec_command', { cmd: `echo ${n} > ${n}.txt` }));
  const s = await scene([reply(...calls), reply(say('done'))]);
  const result = await runOxbow(['exec', '--json', 'go'], s);
  expect(result.code).toBe(0);
  expect(result.stderr).toBe('');
  expect(s.outputs(1).size).toBe(40);
  expect(s.workspace.read('39.txt')).toBe('39\n');
});

test('a call that was cut off does not run, even if the server calls it complete', async () => {
  const s = await scene([reply(call('exec_command', '{"cmd": "touch ran; echo'))]);
  const result = await runOxbow(['exec', '--json', 'go'], s);
  expect(result.code).toBe(1);
  expect(result.events.at(-1)).toMatchObject({ type: 'turn.failed', repairs: [{ id: 'A9' }] });
  expect(existsSync(s.workspace.file('ran'))).toBe(false);
});
