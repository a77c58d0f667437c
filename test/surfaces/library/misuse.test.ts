import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createAgent, defineTool, type Event, type RunOptions, UserError, type Warning } from '../../../src/index.ts';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

describe('functions of the program that fail', () => {
  const types = ['thread.started', 'turn.started', 'text.delta', 'command.output', 'turn.ledger', 'turn.completed'];

  test.each(types)('onEvent that throws at %s changes nothing, and is reported once', async (type) => {
    const warnings: Warning[] = [];
    const script = [reply(call('exec_command', { cmd: 'echo hello' })), reply(say('done'))];
    const s = await libraryScene(script, {}, { onWarning: (warning) => warnings.push(warning) });
    const seen: string[] = [];
    const thread = await s.agent.startThread({
      onEvent(event) {
        seen.push(event.type);
        if (event.type === type) throw new Error('my bug');
      },
    });
    expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(seen).toContain('turn.completed');
    expect(warnings).toEqual([
      { code: 'callback', message: expect.stringContaining('`onEvent` failed, and is still called: my bug') },
    ]);
    await thread.close();
    expect((await s.agent.threads.show(thread.id)).turns).toMatchObject([{ status: 'completed' }]);
  });

  test('so does one that rejects, a listener of subscribe, and onLog', async () => {
    const warnings: Warning[] = [];
    const s = await libraryScene(
      [reply(say('done'))],
      {},
      {
        onWarning: (warning) => warnings.push(warning),
        onLog() {
          throw new Error('the disk of my log is full');
        },
      },
    );
    const thread = await s.agent.startThread({ onEvent: () => Promise.reject(new Error('too late')) as never });
    thread.subscribe(() => {
      throw new Error('broken listener');
    });
    expect(await thread.run('go')).toMatchObject({ status: 'completed' });
    await thread.close();
    const told = warnings.map(({ message }) => message.replace(/^.*`(\w+)`.*: /, '$1: '));
    expect(new Set(told)).toEqual(
      new Set(['onEvent: too late', 'onLog: the disk of my log is full', 'subscribe: broken listener']),
    );
    expect(told).toHaveLength(3);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('my bug')), 'my bug'],
    ['answers nothing', () => Promise.resolve(undefined), 'undefined is not an answer'],
    ['answers nonsense', () => Promise.resolve({ type: 'perhaps' }), '{"type":"perhaps"} is not an answer'],
    ['edits without an action', () => Promise.resolve({ type: 'edit' }), 'puts a undefined in the place of a command'],
  ])('an action is declined if `ask` %s, and the programmer is told', async (_, ask, told) => {
    const s = await libraryScene([reply(call('exec_command', { cmd: 'touch made' })), reply(say('done'))], {
      approval_policy: 'untrusted',
    });
    const thread = await s.agent.startThread(s.threadOptions({ ask: ask as never }));
    expect(await thread.run('go')).toMatchObject({ status: 'completed' });
    await thread.close();
    expect(s.outputs(1).get('call_1')).toBe('rejected by user: the question could not be put to the user');
    expect(warningsOf(s.events)).toEqual([{ code: 'callback', message: expect.stringContaining(told) }]);
  });

  test.each([
    [42, 'neither a text nor { output }'],
    [{ output: [{ type: 'audio' }] }, 'an output whose part 1 is neither a text nor an image'],
    [{ output: [{ type: 'text', text: 'a' }, 10n] }, 'an output whose part 2 is neither a text nor an image'],
  ])('a tool that returns %o fails its call only, and the programmer is told', async (returned, told) => {
    const odd = defineTool({
      name: 'odd',
      description: 'Odd.',
      parameters: { type: 'object' },
      run: () => returned as never,
    });
    const s = await libraryScene([reply(call('odd', {})), reply(say('one')), reply(say('two'))], {}, { tools: [odd] });
    const thread = await s.agent.startThread(s.threadOptions());
    expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'one' });
    expect(await thread.run('on')).toMatchObject({ status: 'completed', finalResponse: 'two' });
    await thread.close();
    expect(s.outputs(1).get('call_1')).toBe(`err: the tool odd returned ${told}`);
    expect(warningsOf(s.events)).toEqual([{ code: 'callback', message: expect.stringContaining(told) }]);
  });
});

test('the parts of MCP are accepted as outputs of a tool, and nothing but their known fields is sent', async () => {
  const circular: Record<string, unknown> = { type: 'text', text: 'hello' };
  circular.self = circular;
  const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object' },
    run: () => ({ output: [circular, image] as never }),
  });
  const s = await libraryScene([reply(call('look', {})), reply(say('done'))], {}, { tools: [look] });
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('go')).toMatchObject({ status: 'completed' });
  await thread.close();
  const output = s.model.requests[1]?.body.input?.find(
    (item: { type: string }) => item.type === 'function_call_output',
  );
  expect(output).toMatchObject({
    output: [
      { type: 'input_text', text: 'hello' },
      { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
    ],
  });
});

test('an edited call is planned again: its approval is asked for with the new reason, or not at all', async () => {
  const paid: number[] = [];
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds money.',
    parameters: { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] },
    needsApproval: ({ cents }) => cents > 100 && `It refunds ${cents} cents.`,
    run({ cents }) {
      paid.push(cents);
      return 'paid';
    },
  });
  const s = await libraryScene([reply(call('refund', { cents: 5000 })), reply(say('done'))], {}, { tools: [refund] });
  const reasons: string[] = [];
  const thread = await s.agent.startThread(
    s.threadOptions({
      async ask({ reason, action }) {
        reasons.push(reason);
        if (action.kind !== 'own') return 'denied';
        return { type: 'edit', action: { ...action, input: { cents: reasons.length === 1 ? 4000 : 50 } } };
      },
    }),
  );
  expect(await thread.run('go')).toMatchObject({ status: 'completed' });
  await thread.close();
  expect(reasons).toEqual(['It refunds 5000 cents.', 'It refunds 4000 cents.']);
  expect(paid).toEqual([50]);
});

describe('mistakes are errors with a code, before anything happens', () => {
  const bad: readonly (readonly [string, RunOptions, RegExp])[] = [
    ...[Number.NaN, Number.POSITIVE_INFINITY, -1].flatMap((value) =>
      (['maxRequests', 'maxTokens', 'maxCost', 'timeoutMs'] as const).map(
        (name) => [`${name} of ${value}`, { limits: { [name]: value } }, /must be a number from 0/] as const,
      ),
    ),
    ['a timeout that no timer can wait for', { limits: { timeoutMs: 2 ** 31 } }, /to 2147483647/],
    ['an unknown limit', { limits: { maxRequest: 1 } as never }, /There is no limit "maxRequest"/],
    [
      'an unknown option',
      { outputschema: {} } as never,
      /run has no option "outputschema". Did you mean "outputSchema"\?/,
    ],
  ];

  test.each(bad)('%s', async (_, options, message) => {
    const s = await libraryScene([reply(say('done'))]);
    const thread = await s.agent.startThread();
    const error = await thread.run('go', options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) });
    expect(s.model.requests).toEqual([]);
    expect(await thread.run('go')).toMatchObject({ status: 'completed' });
    await thread.close();
  });

  test('unknown options of agents and threads', async () => {
    const s = await libraryScene([]);
    expect(() => createAgent({ setings: {} } as never)).toThrow(
      'createAgent has no option "setings". Did you mean "settings"?',
    );
    await expect(s.agent.startThread({ onEvents() {} } as never)).rejects.toThrow(
      'startThread has no option "onEvents". Did you mean "onEvent"?',
    );
  });

  test.each([
    [{}, 'A tool must have a name.'],
    [{ name: 'a' }, 'The tool "a" must have a description.'],
    [{ name: 'a', description: '' }, 'The tool "a" must have a function `run`.'],
    [{ name: 'a', description: '', run: () => '' }, 'The tool "a" must have parameters.'],
    [
      { name: 'a', description: '', run: () => '', parameters: { type: 'object' }, timeoutMs: Number.NaN },
      'The tool "a" must have a timeoutMs from 1 to 2147483647, not NaN.',
    ],
    [undefined as never, 'A tool must have a name.'],
  ] as readonly (readonly [object, string])[])('a definition of a tool: %o', (definition, message) => {
    expect(() => defineTool(definition as never)).toThrow(new UserError('invalid_input', message));
  });

  test('a second turn, and a closed thread', async () => {
    const s = await libraryScene([reply(say('one'), gate(new Promise(() => {})))]);
    const thread = await s.agent.startThread();
    const first = thread.run('go');
    await expect(thread.run('again')).rejects.toMatchObject({ name: 'UserError', code: 'in_use' });
    await s.model.waitForRequest(1);
    await thread.close();
    await first;
    await expect(thread.run('again')).rejects.toMatchObject({ name: 'UserError', code: 'closed' });
  });
});

describe('a thread is named by its whole id, unless another way is asked for', () => {
  test.each(['resumeThread', 'forkThread', 'usage', 'replay'] as const)('%s', async (method) => {
    const s = await libraryScene([reply(say('done'))]);
    const thread = await s.agent.startThread();
    await thread.run('go');
    await thread.close();
    await s.agent.threads.rename(thread.id, 'the name');
    for (const nothing of [undefined, null, '', {}, { name: undefined }]) {
      await expect(s.agent[method](nothing as never)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const reference of [thread.id.slice(0, 20), 'the name', { prefix: 'the name' }, { name: thread.id }]) {
      await expect(s.agent[method](reference)).rejects.toMatchObject({ code: 'not_found' });
    }
    const ways = [thread.id, { prefix: thread.id.slice(0, 20) }, { name: 'the name' }, { text: 'the name' }];
    for (const reference of method === 'forkThread' ? ways.slice(0, 1) : ways) {
      const found = await s.agent[method](reference);
      if ('close' in found) await found.close();
    }
  });

  test('nothing is deleted by the name undefined', async () => {
    const s = await libraryScene([reply(say('done'))]);
    const thread = await s.agent.startThread();
    await thread.run('go');
    await thread.close();
    await expect(s.agent.threads.delete(undefined as never)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await s.agent.threads.find(thread.id)).toMatchObject({ id: thread.id });
  });
});

test('no key or variable is in the agent as JSON or as console.log shows it', async () => {
  const secret = 'secret-4711';
  const s = await libraryScene([], {
    model_providers: { scripted: { experimental_bearer_token: secret, http_headers: { 'x-key': secret } } },
  });
  const agent = createAgent({ env: { ...s.agent.config.env, MY_TOKEN: secret }, cwd: s.workspace.path });
  const shown = [
    JSON.stringify(agent),
    JSON.stringify({ a: agent }),
    inspect(agent, { depth: 9 }),
    inspect(agent.config),
  ];
  for (const text of shown) {
    expect(text).not.toContain(secret);
    expect(text).toContain(agent.model);
  }
  expect(agent.config.env.MY_TOKEN).toBe(secret);
  await agent.close();
});

test('warnings about settings reach onWarning at once, and the events and the log of the first thread', async () => {
  const warnings: Warning[] = [];
  const lines: string[] = [];
  const s = await libraryScene(
    [reply(say('done')), reply(say('done'))],
    { modell: 'x' },
    { onWarning: (warning) => warnings.push(warning), onLog: (line) => lines.push(line) },
  );
  const told = [{ code: 'config', message: expect.stringContaining('modell') }];
  expect(warnings).toEqual(told);
  for (const _ of [1, 2]) {
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    await thread.close();
  }
  expect(warningsOf(s.events)).toEqual(told);
  expect(s.events.slice(0, 2).map(({ type }) => type)).toEqual(['thread.started', 'warning']);
  expect(lines.filter((line) => line.includes('modell'))).toHaveLength(1);
  expect(warnings).toEqual(told);
});

describe('interrupting', () => {
  test('leaving the events before the first one interrupts the turn', async () => {
    const s = await libraryScene([reply(say('one'), gate(new Promise(() => {})))]);
    const thread = await s.agent.startThread();
    const { events, result } = await thread.runStreamed('go');
    await events.return();
    expect((await result).status).toBe('aborted');
    await thread.close();
  });

  test('abort ends the running turn and keeps its reason', async () => {
    const s = await libraryScene([reply(say('one'), gate(new Promise(() => {}))), reply(say('two'))]);
    let begun = () => {};
    const text = new Promise<void>((resolve) => {
      begun = resolve;
    });
    await using thread = await s.agent.startThread({ onEvent: ({ type }) => type === 'text.delta' && begun() });
    expect(thread.running).toBe(false);
    const turn = thread.run('go');
    expect(thread.running).toBe(true);
    const reason = new Error('the user went home');
    await text;
    await thread.abort(reason);
    expect(thread.running).toBe(false);
    expect(await turn).toMatchObject({ status: 'aborted', abortReason: reason });
    await thread.abort();
    expect(await thread.run('on')).toMatchObject({ status: 'completed', finalResponse: 'two' });
  });

  test('many turns on one signal warn of no leak', async () => {
    const told: Error[] = [];
    const listen = (warning: Error) => told.push(warning);
    process.on('warning', listen);
    const { signal } = new AbortController();
    const s = await libraryScene(Array.from({ length: 15 }, () => reply(say('done'))));
    const threads = await Promise.all(Array.from({ length: 15 }, () => s.agent.startThread()));
    await Promise.all(threads.map((thread) => thread.run('go', { signal })));
    await Promise.all(threads.map((thread) => thread.close()));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(told).toEqual([]);
  });
});

function warningsOf(events: readonly Event[]): readonly Warning[] {
  return events.flatMap((event) => (event.type === 'warning' ? [{ code: event.code, message: event.message }] : []));
}
