import { describe, expect, test } from 'vitest';
import { defineTool, type Event, type ThreadItem, UserError } from '../../../src/index.ts';
import { call, fault, gate, reply, say, think } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { WIRES } from '../../harness/wires.ts';

const outline = (events: readonly Event[]) =>
  events.flatMap((event) => {
    if (event.type === 'item.dropped') return [`dropped ${event.itemId}`];
    if (event.type === 'text.delta' || event.type === 'reasoning.delta') return [`${event.type} ${event.itemId}`];
    return 'item' in event ? [`${event.type} ${event.item.type} ${event.item.id}`] : [];
  });

describe.each(WIRES)('on the wire %s', (wire) => {
  const config = { model_providers: { scripted: { wire_api: wire } }, show_raw_agent_reasoning: wire !== 'responses' };

  test('messages and reasoning start when they are added, and keep their ids', async () => {
    const s = await libraryScene([reply(think('hm', { raw: 'hm' }), say('hello'))], config);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('hi');
    const lines = outline(s.events).slice(1);
    const [reasoning, message] = [0, 1].map((n) =>
      lines
        .filter((line) => line.startsWith('item.started'))
        [n]?.split(' ')
        .at(-1),
    );
    expect([...new Set(lines)].sort()).toEqual(
      [
        `item.started reasoning ${reasoning}`,
        `reasoning.delta ${reasoning}`,
        `item.completed reasoning ${reasoning}`,
        `item.started agent_message ${message}`,
        `text.delta ${message}`,
        `item.completed agent_message ${message}`,
      ].sort(),
    );
    expect(lines.indexOf(`item.started agent_message ${message}`)).toBeLessThan(lines.indexOf(`text.delta ${message}`));
    await thread.close();
  });

  test('a message whose response breaks off is dropped before the retry', async () => {
    const s = await libraryScene([fault.cut(reply(say('hello there '.repeat(20))), 1500), reply(say('again'))], config);
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('hi');
    expect(result.finalResponse).toBe('again');
    const kinds = s.events.map(({ type }) => type).filter((type) => /^(item\..*|retry)$/.test(type));
    expect(kinds).toEqual([
      'item.completed',
      'item.started',
      'item.dropped',
      'retry',
      'item.started',
      'item.completed',
    ]);
    await thread.close();
  });
});

test.each(WIRES)('a tool call is shown with arguments, progress and output, over %s', async (wire) => {
  const weather = defineTool({
    name: 'weather',
    description: 'w',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    needsApproval: ({ city }) => city === 'Ur',
    run({ city }, { progress }) {
      progress('looking '.repeat(1000));
      if (city === 'Troy') throw new Error('it is gone');
      return `sun in ${city} `.repeat(1000);
    },
  });
  const s = await libraryScene(
    [
      reply(
        call('weather', { city: 'Ulm' }, { callId: 'good' }),
        call('weather', { city: 'Troy' }, { callId: 'fails' }),
        call('weather', { city: 'Ur' }, { callId: 'denied' }),
        call('weather', { town: 'Ulm' }, { callId: 'wrong' }),
        call('nope', { a: 'x'.repeat(10_000) }, { callId: 'unknown' }),
      ),
      reply(say('done')),
    ],
    { approval_policy: 'on-request', model_providers: { scripted: { wire_api: wire } } },
    { tools: [weather] },
  );
  const thread = await s.agent.startThread(s.threadOptions({ ask: () => 'denied' }));
  const { items } = await thread.run('hi');
  const shown = (type: Event['type']) =>
    Object.fromEntries(
      s.events.flatMap((event) =>
        'item' in event && event.type === type && event.item.type === 'tool_call' ? [[event.item.id, event.item]] : [],
      ),
    );
  const running = { name: 'weather', output: null, status: 'running', failure: null };
  expect(shown('item.started')).toMatchObject({
    good: { ...running, arguments: '{"city":"Ulm"}' },
    fails: { ...running, arguments: '{"city":"Troy"}' },
  });
  const failed = { status: 'failed', durationMs: expect.any(Number) };
  expect(shown('item.completed')).toMatchObject({
    good: { output: expect.stringMatching(/^sun in Ulm .* chars truncated.*$/), status: 'completed', failure: null },
    fails: { ...failed, arguments: '{"city":"Troy"}', output: 'err: it is gone', failure: 'execution' },
    denied: { ...failed, arguments: '{"city":"Ur"}', output: 'rejected by user', failure: 'permission' },
    wrong: { ...failed, arguments: '{"town":"Ulm"}', output: expect.stringContaining('`city`'), failure: 'parse' },
    unknown: { ...failed, name: 'nope', output: 'unsupported call: nope', failure: 'parse' },
  });
  expect(items.filter(({ type }) => type === 'tool_call')).toHaveLength(5);
  const read = (await s.agent.threads.items(thread.id)).map(({ item }) => item);
  expect(read.filter(({ type }) => type === 'tool_call')).toEqual(
    expect.arrayContaining(items.filter(({ type }) => type === 'tool_call')),
  );
  // Texts are bounded.
  const texts = s.events.flatMap((event) => {
    if (event.type === 'call.progress') return [event.text];
    return 'item' in event && event.item.type === 'tool_call' ? [event.item.arguments, event.item.output ?? ''] : [];
  });
  expect(texts).toContainEqual(expect.stringMatching(/^looking .* chars truncated.*$/));
  for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThan(4200);
  await thread.close();
});

test('every listener gets every event until it unsubscribes', async () => {
  const s = await libraryScene([reply(say('one')), reply(say('two'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  const [first, second]: [Event[], Event[]] = [[], []];
  const stop = thread.subscribe((event) => first.push(event));
  thread.subscribe((event) => second.push(event));
  await thread.run('one');
  stop();
  await thread.run('two');
  expect(first.at(-1)?.type).toBe('turn.completed');
  expect(second).toEqual(s.events);
  expect(first).toEqual(s.events.slice(0, first.length));
  await thread.close();
});

describe('turns that are rolled back', () => {
  test('are gone from the next request, and the rollback is logged', async () => {
    const s = await libraryScene([reply(say('one')), reply(say('two')), reply(say('three')), reply(say('four'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    for (const word of ['first', 'second', 'third']) await thread.run(word);
    await thread.rollBack(2);
    expect(thread.state.turns).toBe(1);
    await thread.run('fourth');
    const sent = JSON.stringify(s.model.requests[3]?.body.input);
    expect(['first', 'second', 'third', 'fourth'].filter((word) => sent.includes(`"${word}"`))).toEqual([
      'first',
      'fourth',
    ]);
    const lines = s.rollout();
    expect(
      lines.filter((line) => line.type === 'event_msg' && line.payload.type === 'thread_rolled_back'),
    ).toMatchObject([{ payload: { num_turns: 2 } }]);
    expect(s.events.filter(({ type }) => type === 'thread.rolled_back')).toMatchObject([{ turns: 2, turnId: null }]);
    expect(s.events.filter(({ type }) => type === 'prefix.changed')).toMatchObject([{ cause: 'rollback' }]);
    await thread.close();
    const again = await s.agent.resumeThread(thread.id);
    expect(again.state.history).toEqual(thread.state.history);
    await again.close();
  });

  test.each([0, -1, 1.5, 3, Number.NaN])('cannot be %s of two', async (turns) => {
    const s = await libraryScene([reply(say('one')), reply(say('two'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('first');
    await thread.run('second');
    await expect(thread.rollBack(turns)).rejects.toThrow(UserError);
    expect(thread.state.turns).toBe(2);
    await thread.close();
  });

  test('cannot include a running turn', async () => {
    const s = await libraryScene([
      reply(say('one')),
      reply(call('exec_command', { cmd: 'sleep 5' })),
      reply(say('two')),
    ]);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('first');
    const running = thread.run('second');
    await expect(thread.rollBack(1)).rejects.toThrow('still running');
    await thread.close();
    expect((await running).status).toBe('aborted');
  });
});

test('the items of a thread can be read later, by any of its names, and while it runs', async () => {
  const s = await libraryScene([
    reply(think('hm'), call('exec_command', { cmd: 'echo hello' })),
    reply(say('done')),
    reply(call('exec_command', { cmd: 'sleep 5' })),
    reply(say('never')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  const { items } = await thread.run('hi');
  const read = await s.agent.threads.items({ prefix: thread.id.slice(0, 30) });
  expect(read.map(({ item }) => item)).toEqual([
    expect.objectContaining({ type: 'user_message', text: 'hi' }),
    ...items,
  ]);
  expect(new Set(read.map(({ turnId }) => turnId)).size).toBe(1);
  const running = thread.run('again');
  await s.model.waitForRequest(3);
  while (!s.events.some((event) => event.type === 'item.started' && JSON.stringify(event).includes('sleep 5'))) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const meanwhile = await s.agent.threads.items(thread.id);
  expect(meanwhile.at(-1)?.item).toMatchObject({ type: 'tool_call', name: 'exec_command', status: 'running' });
  await thread.close();
  await running;
  expect((await s.agent.threads.items(thread.id)).at(-1)?.item).toMatchObject({ type: 'command', status: 'failed' });
});

describe('thread.items', () => {
  const textsOf = async (items: AsyncIterable<ThreadItem>) => {
    const texts: string[] = [];
    for await (const item of items) texts.push('text' in item ? item.text : item.type);
    return texts;
  };

  test('yields everything so far, in a running turn and after a resume', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const s = await libraryScene([
      reply(call('exec_command', { cmd: 'echo hello' })),
      reply(gate(held), say('one')),
      reply(say('two')),
    ]);
    const thread = await s.agent.startThread(s.threadOptions());
    expect(await textsOf(thread.items())).toEqual([]);
    const turn = thread.run('first');
    await expect.poll(() => s.model.requests.length, { timeout: 20_000 }).toBe(2);
    expect(await textsOf(thread.items())).toEqual(['first', 'command']);
    answer();
    const { items } = await turn;
    expect(await textsOf(thread.items())).toEqual(['first', 'command', 'one']);
    await thread.close();

    const resumed = await s.agent.resumeThread(thread.id, s.threadOptions());
    await resumed.run('second');
    expect(await textsOf(resumed.items())).toEqual(['first', 'command', 'one', 'second', 'two']);
    const from = items.at(-1)?.id ?? '';
    expect(await textsOf(resumed.items({ from }))).toEqual(['one', 'second', 'two']);
    const unknown = textsOf(resumed.items({ from: 'nowhere' }));
    await expect(unknown).rejects.toThrow('The thread has no item "nowhere".');
    await expect(unknown).rejects.toBeInstanceOf(UserError);
    await expect(textsOf(resumed.items({ form: from } as object))).rejects.toThrow('items has no option "form"');
    await resumed.close();
    await expect(textsOf(resumed.items())).rejects.toMatchObject({ code: 'closed' });
  });

  test('says so if the items are not kept', async () => {
    const s = await libraryScene([reply(say('one'))]);
    const thread = await s.agent.startThread({ ephemeral: true });
    await thread.run('first');
    await expect(textsOf(thread.items())).rejects.toThrow('The items of an ephemeral thread are not kept.');
    await thread.close();
  });
});
