import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FunctionCallOutputItem } from '../../../src/base/item.ts';
import { type Answer, type Ask, createAgent, defineTool, type Event, type Tool } from '../../../src/index.ts';
import { call, customCall, type ReplyPart, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

/** Runs one turn in which the model makes these calls at once. */
async function turnWith(tools: readonly Tool[], calls: readonly ReplyPart[], config = {}): Promise<LibraryScene> {
  const s = await libraryScene([reply(...calls), reply(say('done'))], config, { tools });
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  await thread.close();
  return s;
}

function outputOf(s: LibraryScene, callId: string): FunctionCallOutputItem['output'] | undefined {
  const items = s.model.requests[1]?.body.input ?? [];
  for (const item of items) {
    const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
    if (isOutput && item.call_id === callId) return item.output;
  }
  return undefined;
}

const ofCall = (events: readonly Event[], callId: string) =>
  events.filter((event) => 'callId' in event && event.callId === callId);

const metadataOf = (s: LibraryScene) =>
  s.rollout().flatMap((line) => (line.type === 'response_item' && line.metadata ? [line.metadata] : []));

test('the model gets a zod schema, and an error for wrong arguments', async () => {
  const forecast = defineTool({
    name: 'forecast',
    description: 'The weather of the next days.',
    parameters: z.object({ city: z.string(), days: z.int().max(10) }),
    mutating: false,
    run: ({ city, days }) => `${city}: ${'sun '.repeat(days)}`,
  });
  const s = await turnWith(
    [forecast],
    [
      call('forecast', { city: 'Ulm', days: 90 }, { callId: 'wrong' }),
      call('forecast', { city: 'Ulm', days: 2 }, { callId: 'right' }),
      customCall('forecast', '{"city":"Bonn","days":1}', { callId: 'custom' }),
      customCall('forecast', 'Bonn, please', { callId: 'words' }),
    ],
  );
  expect(s.model.requests[0]?.body.tools).toContainEqual({
    type: 'function',
    name: 'forecast',
    description: 'The weather of the next days.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: expect.objectContaining({ type: 'integer', maximum: 10 }) },
      required: ['city', 'days'],
    },
  });
  expect(outputOf(s, 'wrong')).toMatch(/^failed to parse function arguments: invalid value for `days`: .*10/);
  expect(outputOf(s, 'right')).toBe('Ulm: sun sun ');
  expect(outputOf(s, 'custom')).toBe('Bonn: sun ');
  expect(outputOf(s, 'words')).toBe('forecast does not take a custom call');
  expect(metadataOf(s).map(({ failure }) => failure)).toEqual(['parse', undefined, undefined, 'parse']);
});

test.each(['responses', 'chat'])('a strict tool is strict over %s', async (wire) => {
  const forecast = defineTool({
    name: 'forecast',
    description: 'The weather of the next days.',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
    run: ({ city, days }) => `${city} ${days}`,
  });
  const s = await libraryScene(
    [reply(call('forecast', { city: 'Ulm', days: null }, { callId: 'a' })), reply(say('done'))],
    { model_providers: { scripted: { wire_api: wire } } },
    { tools: [forecast] },
  );
  await (await s.agent.startThread()).run('go');
  const sent = {
    name: 'forecast',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  };
  expect(s.model.requests[0]?.body.tools).toContainEqual(
    wire === 'chat' ? { type: 'function', function: expect.objectContaining(sent) } : expect.objectContaining(sent),
  );
  expect(JSON.stringify(s.model.requests[1]?.body)).toContain('Ulm undefined');
  await s.agent.close();
});

test('a running call has a start, progress, and an end with its duration', async () => {
  const build = defineTool({
    name: 'build',
    description: 'Builds.',
    parameters: city,
    async run(_, { progress }) {
      progress('1 of 2');
      await delay(5);
      progress('2 of 2');
      return 'built';
    },
  });
  const s = await turnWith(
    [build],
    [call('build', { city: 'x' }, { callId: 'a' }), call('build', {}, { callId: 'b' })],
  );
  expect(ofCall(s.events, 'a')).toMatchObject([
    { type: 'call.started', name: 'build', mutating: true },
    { type: 'call.progress', text: '1 of 2' },
    { type: 'call.progress', text: '2 of 2' },
    {
      type: 'call.ended',
      success: true,
      failure: null,
      mutating: true,
      durationMs: expect.any(Number),
      preview: 'built',
    },
  ]);
  // The call was invalid, so it never began. It counts as mutating all the same.
  expect(ofCall(s.events, 'b')).toMatchObject([
    { type: 'call.ended', success: false, failure: 'parse', mutating: true },
  ]);
});

test('read-only calls run at the same time, others alone', async () => {
  let running = 0;
  const most = { reading: 0, writing: 0 };
  const tool = (name: 'reading' | 'writing') =>
    defineTool({
      name,
      description: name,
      parameters: city,
      mutating: name === 'writing',
      async run() {
        running++;
        // Two reading calls wait for each other: they could not end one by one.
        while (name === 'reading' && most.reading < 2 && running < 2) await delay(1);
        most[name] = Math.max(most[name], running);
        await delay(10);
        running--;
        return '';
      },
    });
  const both = ['reading', 'reading', 'writing', 'writing'] as const;
  const s = await turnWith(
    [tool('reading'), tool('writing')],
    both.map((name) => call(name, { city: 'x' })),
  );
  expect(most).toEqual({ reading: 2, writing: 1 });
  const started = s
    .rollout()
    .flatMap(({ payload }) => ('kind' in payload && payload.kind === 'call.started' ? [payload] : []));
  expect(started.map(({ read_only }) => read_only)).toEqual([true, true, undefined, undefined]);
});

describe('failures', () => {
  test.each<[string, Partial<Parameters<typeof defineTool<typeof city>>[0]>, string, string]>([
    ['an exception', { run: () => Promise.reject(new Error('no network')) }, 'err: no network', 'execution'],
    [
      'a result that reports a failure',
      { run: () => ({ output: 'not found', success: false }) },
      'not found',
      'execution',
    ],
    [
      'a wrong result',
      { run: () => 5 as unknown as string },
      'err: the tool t returned neither a text nor { output }',
      'execution',
    ],
    [
      'a timeout',
      { timeoutMs: 10, run: () => new Promise<string>(() => {}) },
      't timed out after 10 milliseconds',
      'timeout',
    ],
  ])('%s is reported to the model and logged', async (_, more, output, failure) => {
    const tool = defineTool({ name: 't', description: 't', parameters: city, run: () => '', ...more });
    const s = await turnWith([tool], [call('t', { city: 'x' }, { callId: 'c' })]);
    expect(outputOf(s, 'c')).toBe(output);
    expect(metadataOf(s)).toMatchObject([{ success: false, failure }]);
    expect(ofCall(s.events, 'c').at(-1)).toMatchObject({ type: 'call.ended', success: false, failure });
  });

  test('an interrupt reaches the tool, and a tool that ignores it is not waited for', async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const tool = (name: string, heeds: boolean) =>
      defineTool({
        name,
        description: name,
        parameters: city,
        mutating: false,
        async run(_, { signal }) {
          signal.addEventListener('abort', () => heard.push(name));
          if (heard.push(`${name} runs`) === 2) controller.abort();
          return heeds ? delay(600_000, '', { signal }) : new Promise<string>(() => {});
        },
      });
    const calls = [call('deaf', { city: 'x' }, { callId: 'a' }), call('good', { city: 'x' }, { callId: 'b' })];
    const s = await libraryScene([reply(...calls)], {}, { tools: [tool('deaf', false), tool('good', true)] });
    const thread = await s.agent.startThread(s.threadOptions());
    expect(await thread.run('go', { signal: controller.signal })).toMatchObject({ status: 'aborted' });
    await thread.close();
    expect(heard).toEqual(['deaf runs', 'good runs', 'deaf', 'good']);
    const outputs = s.rollout().flatMap((line) => (line.type === 'response_item' && line.metadata ? [line] : []));
    expect(outputs).toHaveLength(2);
    for (const { payload, metadata } of outputs) {
      expect(payload).toMatchObject({ output: expect.stringMatching(/^aborted by user after \d+\.\ds$/) });
      expect(metadata).toMatchObject({ failure: 'aborted' });
    }
  });
});

test('outputs are bounded: texts share the limit, and images are never truncated', async () => {
  const image = {
    type: 'input_image',
    image_url: `data:image/png;base64,${'A'.repeat(50_000)}`,
    detail: 'high',
  } as const;
  const parts = [
    { type: 'input_text', text: 'x'.repeat(10_000) },
    image,
    { type: 'input_text', text: 'y'.repeat(10_000) },
    { type: 'input_text', text: 'z' },
  ] as const;
  const tool = (name: string, output: string | typeof parts) =>
    defineTool({ name, description: name, parameters: city, run: () => ({ output }) });
  const s = await turnWith(
    [tool('long', 'x'.repeat(50_000)), tool('mixed', parts)],
    [call('long', { city: 'x' }, { callId: 'long' }), call('mixed', { city: 'x' }, { callId: 'mixed' })],
    // 4000 tokens are 16,000 bytes, a fifth more are 19,200.
    { tool_output_token_limit: 4000 },
  );
  expect(outputOf(s, 'long')).toMatch(/^x{9600}…7700 tokens truncated…x{9600}$/);
  expect(outputOf(s, 'mixed')).toEqual([
    parts[0],
    image,
    { type: 'input_text', text: expect.stringMatching(/^y{4600}…200 tokens truncated…y{4600}$/) },
    { type: 'input_text', text: '[omitted 1 text items ...]' },
  ]);
});

describe('approval', () => {
  const pay = (paid: number[]) =>
    defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ euros: z.number() }),
      needsApproval: ({ euros }) => euros >= 10 && `It pays ${euros} EUR.`,
      run({ euros }) {
        paid.push(euros);
        return 'paid';
      },
    });
  const calls = [5, 20, 30].map((euros) => call('pay', { euros }, { callId: `pay ${euros}` }));

  async function payWith(ask: ((ask: Ask) => Answer) | undefined, policy = 'on-request') {
    const paid: number[] = [];
    const script = [reply(...calls), reply(say('done'))];
    const s = await libraryScene(script, { approval_policy: policy }, { tools: [pay(paid)] });
    const thread = await s.agent.startThread(s.threadOptions(ask ? { ask: async (one) => ask(one) } : {}));
    await thread.run('go');
    await thread.close();
    return { s, paid };
  }

  test('is requested when the tool says so, with its reason, and may cover the tool', async () => {
    const asked: Ask[] = [];
    const { paid } = await payWith((ask) => {
      asked.push(ask);
      return { type: 'approve', scope: { type: 'tool' } };
    });
    expect(paid).toEqual([5, 20, 30]);
    expect(asked).toMatchObject([
      {
        callId: 'pay 20',
        reason: 'It pays 20 EUR.',
        action: { kind: 'own', tool: 'pay', input: { euros: 20 } },
        scopes: [
          { scope: { type: 'once' }, effect: 'It is done, this one time.' },
          {
            scope: { type: 'tool' },
            effect: 'The tool "pay" is called with any input without asking, until the thread ends.',
          },
        ],
      },
    ]);
  });

  test('a refusal is reported to the model, and nothing runs', async () => {
    const { s, paid } = await payWith((ask) => (ask.callId === 'pay 20' ? 'denied' : 'approved'));
    expect(paid).toEqual([5, 30]);
    expect(outputOf(s, 'pay 20')).toBe('rejected by user');
    expect(metadataOf(s)).toMatchObject([
      { success: true },
      { success: false, failure: 'permission' },
      { success: true },
    ]);
    expect(ofCall(s.events, 'pay 20').map(({ type }) => type)).not.toContain('call.started');
  });

  test('without a user to ask, the answer is no', async () => {
    for (const policy of ['never', 'on-request']) {
      const { s, paid } = await payWith(undefined, policy);
      expect(paid).toEqual([5]);
      expect(outputOf(s, 'pay 30')).toContain(policy === 'never' ? 'approval policy is never' : 'nobody can be asked');
    }
  });

  test('an input that the user edited runs instead, if it is valid', async () => {
    const { s, paid } = await payWith(({ action }) => {
      if (action.kind !== 'own' || !('approval' in action)) return 'denied';
      const { approval: _, ...rest } = action;
      const euros = (action.input as { euros: number }).euros;
      return { type: 'edit', action: { ...rest, input: { euros: euros === 20 ? 1 : 'much' } } };
    });
    expect(paid).toEqual([5, 1]);
    expect(outputOf(s, 'pay 20')).toMatch(/^The user changed this call before it ran\. .*"euros":1.*\npaid$/s);
    expect(outputOf(s, 'pay 30')).toContain('failed to parse function arguments: invalid value for `euros`');
  });
});

test('each call of a thread has its own key', async () => {
  const keys: string[] = [];
  const tool = defineTool({
    name: 'order',
    description: 'Orders.',
    parameters: city,
    run(_, { idempotencyKey }) {
      keys.push(idempotencyKey);
      return '';
    },
  });
  await turnWith(
    [tool],
    [call('order', { city: 'x' }, { callId: 'a' }), call('order', { city: 'x' }, { callId: 'b' })],
  );
  expect(new Set(keys).size).toBe(2);
});

describe('built-in tools', () => {
  const calls = [
    call('exec_command', { cmd: 'touch made' }, { callId: 'exec_command' }),
    call('shell', { command: ['touch', 'made'] }, { callId: 'shell' }),
    call(
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: made\n+x\n*** End Patch\n' },
      { callId: 'apply_patch' },
    ),
    call('update_plan', { plan: [] }, { callId: 'update_plan' }),
  ];
  const names = (s: LibraryScene) =>
    (s.model.requests[0]?.body.tools ?? []).map((tool: { name?: string; type: string }) => tool.name ?? tool.type);

  test.each([
    ['none of them', { builtInTools: 'none' }, {}, []],
    [
      'no tools of the configuration',
      {},
      { tools: { command: 'none', apply_patch: false, update_plan: false, view_image: false } },
      [],
    ],
    ['only the plan', { builtInTools: ['update_plan'] }, {}, ['update_plan']],
    [
      'the plan, unless the configuration has turned it off',
      { builtInTools: ['update_plan'] },
      { tools: { update_plan: false } },
      [],
    ],
  ] as const)('%s: others are neither offered nor run', async (_, options, config, offered) => {
    const s = await libraryScene([reply(...calls), reply(say('done'))], config, options);
    const thread = await s.agent.startThread(s.threadOptions());
    expect(await thread.run('go')).toMatchObject({ status: 'completed' });
    await thread.close();
    expect(names(s)).toEqual(offered);
    for (const name of ['exec_command', 'shell', 'apply_patch', 'update_plan']) {
      const refused = !(offered as readonly string[]).includes(name);
      expect([name, s.outputs(1).get(name) === `unsupported call: ${name}`]).toEqual([name, refused]);
    }
    expect(existsSync(s.workspace.file('made'))).toBe(false);
  });

  test('older names of an offered tool still work', async () => {
    const script = [reply(call('shell', { command: ['echo', 'hello'] }, { callId: 'c' })), reply(say('done'))];
    const s = await libraryScene(script, {}, { builtInTools: ['shell'] });
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    await thread.close();
    expect(s.outputs(1).get('c')).toContain('hello');
  });

  test('a name that does not exist is an error', () => {
    expect(() => createAgent({ builtInTools: ['bash' as never] })).toThrow('There is no built-in tool "bash".');
  });
});
