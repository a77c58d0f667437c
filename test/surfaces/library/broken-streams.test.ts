import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isCallOutput } from '../../../src/base/item.ts';
import { call, encodeReply, fault, reply, type ScriptedAnswer, say, think } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { sampled } from '../../harness/runs.ts';

/** A whole answer with one call, in as few bytes as a server may use. A test below cuts it at each byte. */
const SHORT = [
  {
    type: 'response.output_item.done',
    item: { type: 'function_call', call_id: 'one', name: 'exec_command', arguments: '{"cmd":"echo ran >> one"}' },
  },
  { type: 'response.completed', response: { id: 'r' } },
]
  .map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
  .join('');

/** An answer with everything that servers send around an item. */
const LONG = reply(
  think('A plan.'),
  say('Running it.'),
  call('exec_command', { cmd: 'echo ran >> one' }, { callId: 'one' }),
  call('exec_command', { cmd: 'echo ran >> two' }, { callId: 'two' }),
);

/** Returns the retries of a scene as `attempt/max`. */
function retriesIn({ events }: LibraryScene): string[] {
  return events.flatMap((event) => (event.type === 'retry' ? [`${event.attempt}/${event.max}`] : []));
}

/**
 * Runs a turn whose first answer is broken. The model then repeats the calls that have no output, and ends when all
 * have one.
 */
async function runBroken(broken: ScriptedAnswer, wanted: readonly string[]) {
  const s = await libraryScene((request, n) => {
    if (n === 1) return broken;
    const known = new Set((request.body.input ?? []).flatMap((item) => (isCallOutput(item) ? [item.call_id] : [])));
    const missing = wanted.filter((id) => !known.has(id));
    if (missing.length === 0) return reply(say('done'));
    return reply(...missing.map((id) => call('exec_command', { cmd: `echo ran >> ${id}` }, { callId: id })));
  });
  const thread = await s.agent.startThread(s.threadOptions());
  const result = await thread.run('go');
  await thread.close();
  const logs = wanted.map((id) => (existsSync(s.workspace.file(id)) ? s.workspace.read(id) : 'never'));
  return { ...s, result, logs };
}

describe('a stream that breaks off', () => {
  test('at every byte: a call runs once, whether it was complete before the break or is requested again', async () => {
    const whole = fault.status(200, SHORT, { 'content-type': 'text/event-stream' });
    const check = async (at: number) => {
      const s = await runBroken(fault.cut(whole, at), ['one']);
      const label = `cut at byte ${at} of ${SHORT.length}`;
      expect(s.result.finalResponse, label).toBe('done');
      expect(s.logs, label).toEqual(['ran\n']);
    };
    const cuts = sampled(Array.from(SHORT, (_, at) => at));
    const atOnce = 4;
    for (let n = 0; n < cuts.length; n += atOnce) await Promise.all(cuts.slice(n, n + atOnce).map(check));
  });

  test('around every frame of a longer answer: the same', async () => {
    const body = encodeReply(LONG);
    const edges = [...body.toString('utf8').matchAll(/\n\n/g)].flatMap(({ index }) => [
      index - 1,
      index + 1,
      index + 2,
    ]);
    expect(edges.length).toBeGreaterThan(60);
    for (const at of sampled(edges.filter((edge) => edge < body.length))) {
      const s = await runBroken(fault.cut(LONG, at), ['one', 'two']);
      const label = `cut at byte ${at} of ${body.length}`;
      expect(s.result.finalResponse, label).toBe('done');
      expect(s.logs, label).toEqual(['ran\n', 'ran\n']);
    }
  });

  test('after a complete call: the response ends there, and its output goes with the next request', async () => {
    const body = encodeReply(LONG).toString('utf8');
    const secondAdded = body.indexOf('event: response.output_item.added', body.indexOf('"call_id":"one"'));
    const s = await runBroken(fault.cut(LONG, secondAdded), ['one', 'two']);
    const input = s.model.requests[1]?.body.input ?? [];
    expect(input.map((item) => item.type).slice(3)).toEqual([
      ...['reasoning', 'message', 'function_call', 'function_call_output'],
    ]);
    expect(s.events.filter(({ type }) => type === 'repair')).toMatchObject([{ id: 'A5' }]);
  });

  test('never, but comes in pieces of any size: nothing is requested twice', async () => {
    const { length } = encodeReply(LONG);
    for (const size of [1, 2, 3, 7, 64, 1000, length]) {
      const s = await runBroken(fault.split(LONG, size), ['one', 'two']);
      expect(s.model.requests).toHaveLength(2);
      expect(s.logs).toEqual(['ran\n', 'ran\n']);
    }
  });
});

describe('an answer that is not usable', () => {
  const broken: [string, ScriptedAnswer, RegExp][] = [
    ['a reset connection', fault.reset(200), /stream disconnected before completion/],
    ['a body that ends early', fault.truncated(reply(say('half')), 300), /stream closed before response\.completed/],
    ['a 500', fault.status(500, 'oops'), /./],
    ['an HTML page', fault.html(502), /502/],
    ['a failed response', reply(say('half'), { failed: { code: 'server_error', message: 'it broke' } }), /it broke/],
  ];
  test.each(broken)('%s is retried several times, then the turn fails with its reason', async (_, answer, reason) => {
    const config = { model_providers: { scripted: { request_max_retries: 1, stream_max_retries: 2 } } };
    const s = await libraryScene(() => answer, config);
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    expect(result.status).toBe('failed');
    expect(result.error?.message).toMatch(reason);
    expect(s.model.requests).toHaveLength(3);
    expect(retriesIn(s)).toEqual(['1/2', '2/2']);
    await thread.close();
  });

  const final: [string, ScriptedAnswer, string][] = [
    ['a 400', fault.status(400, { error: { message: 'bad tools' } }), 'bad_request'],
    // Nothing can be compacted yet.
    [
      'a full context',
      reply({ failed: { code: 'context_length_exceeded', message: 'too long' } }),
      'context_length_exceeded',
    ],
    ['a cut-off response', reply(say('x'), { incomplete: 'max_output_tokens' }), 'incomplete'],
  ];
  test.each(final)('%s ends the turn at once', async (_, answer, code) => {
    const s = await libraryScene(() => answer);
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    expect(result.error?.code).toBe(code);
    expect(s.model.requests).toHaveLength(1);
    await thread.close();
  });

  const hopeless: [string, ScriptedAnswer][] = [
    ['a 500', fault.status(500, 'oops')],
    ['a hang before the head', fault.hangBeforeHeaders()],
    ['a hang after the head', fault.hang()],
    ['a reset connection', fault.reset(200)],
  ];
  test.each(hopeless)('%s gets six requests in all', async (_, answer) => {
    const s = await libraryScene(() => answer, {
      model_providers: { scripted: { stream_idle_timeout_ms: 100 } },
    });
    const thread = await s.agent.startThread(s.threadOptions());
    expect((await thread.run('go')).status).toBe('failed');
    expect(s.model.requests).toHaveLength(6);
    expect(retriesIn(s)).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
    await thread.close();
  });

  test('a summary that fails gets six requests too', async () => {
    const s = await libraryScene((_, turn) => (turn === 1 ? reply(say('done')) : fault.status(500, 'oops')));
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    expect((await thread.compact()).error?.message).toMatch(/could not be compacted/);
    expect(s.model.requests).toHaveLength(1 + 6);
    await thread.close();
  });

  test.each([429, 503, 529])('a %i is retried after the time that the server asks for', async (status) => {
    const s = await libraryScene([fault.status(status, {}, { 'retry-after': '7' }), reply(say('done'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    expect((await thread.run('go')).finalResponse).toBe('done');
    expect(s.waits).toEqual([7000]);
    await thread.close();
  });

  test.each([429, 503])('a %i that asks for a longer wait than there is time for ends the turn', async (status) => {
    const s = await libraryScene(() =>
      fault.status(status, { error: { message: 'Slow' } }, { 'retry-after': '86400' }),
    );
    const thread = await s.agent.startThread(s.threadOptions());
    const { error } = await thread.run('go');
    expect(error?.message).toMatch(
      /^The server asks to wait until \d\d:\d\d on \d{4}-\d\d-\d\d\. Try again then\. Its failure: .*Slow/,
    );
    expect(s.model.requests).toHaveLength(1);
    expect(s.waits).toEqual([]);
    await thread.close();
  });

  test('waits add up to ten minutes at most', async () => {
    const s = await libraryScene(() => fault.status(429, {}, { 'retry-after': '250' }));
    const thread = await s.agent.startThread(s.threadOptions());
    expect((await thread.run('go')).error?.message).toContain('asks to wait until');
    expect(s.waits).toEqual([250_000, 250_000]);
    await thread.close();
  });

  test('a server that hangs is given up after the idle timeout', async () => {
    const config = { model_providers: { scripted: { stream_idle_timeout_ms: 100, stream_max_retries: 1 } } };
    const s = await libraryScene([fault.hang(), fault.hang()], config);
    const thread = await s.agent.startThread(s.threadOptions());
    expect((await thread.run('go')).error).toMatchObject({ code: 'idle_timeout' });
    expect(s.model.requests).toHaveLength(2);
    await thread.close();
  });

  test('a server that cannot be reached is a clear error after the retries', async () => {
    const s = await libraryScene([]);
    await s.model.close();
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    expect(result.error?.code).toBe('unreachable');
    expect(result.error?.message).toMatch(
      /^Cannot reach http:\/\/127\.0\.0\.1:\d+\/v1\/responses: connection refused\./,
    );
    expect(s.waits).toHaveLength(4);
    await thread.close();
  });

  test('calls of a response that was cut off by its length do not start, unless they already have', async () => {
    const s = await libraryScene([
      reply(call('exec_command', { cmd: 'echo ran >> log' }, { callId: 'one' }), { incomplete: 'max_output_tokens' }),
    ]);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    expect(thread.state.openCalls.size).toBe(0);
    const outputs = thread.state.history.filter((item) => item.type === 'function_call_output');
    expect(outputs).toHaveLength(1);
    await thread.close();
  });
});
