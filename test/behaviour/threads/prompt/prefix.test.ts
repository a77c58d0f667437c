import { appendFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { World } from '../../../../src/base/world.ts';
import { realWorld } from '../../../../src/config/real-world.ts';
import { type Agent, type AgentOptions, createAgent, defineTool, type Thread } from '../../../../src/index.ts';
import { call, gate, reply, type Script, say, think } from '../../../../src/testing/index.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../../harness/scripted-config.ts';
import { testInTurn } from '../../../harness/test-in-turn.ts';
import { over, WIRES, type WireName } from '../../../harness/wires.ts';
import { checkPrefix } from './check-prefix.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Played extends Scene {
  agent(settings?: Readonly<Record<string, unknown>>, options?: AgentOptions): Agent;
}

/** Creates a scripted model, and agents that continue each other's threads. */
async function played(wire: WireName, script: Script): Promise<Played> {
  const s = await scene(script);
  const { home, path } = s.workspace;
  s.workspace.configure(scriptedConfig(s.model.url, over(wire)));
  const env = { HOME: home, OXBOW_HOME: home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
  return { ...s, agent: (settings = {}, options = {}) => createAgent({ env, cwd: path, settings, ...options }) };
}

/** Runs a turn in an agent of its own, as in another process. */
async function turnIn(agent: Agent, input: Parameters<Thread['run']>[0], id?: string): Promise<string> {
  const thread = id === undefined ? await agent.startThread() : await agent.resumeThread(id);
  const result = await thread.run(input);
  expect(result.error).toBeNull();
  await thread.close();
  return thread.id;
}

const answers = (count: number) => Array.from({ length: count }, (_, n) => reply(say(`answer ${n}`)));

describe.each(WIRES)('over %s each request begins with the one before', (wire) => {
  const testOne = testInTurn(WIRES.indexOf(wire));

  testOne('through calls, steering and turns', async () => {
    let thread: Thread | undefined;
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      async run() {
        await thread?.steer('by the way "ü" },{');
        return 'nothing';
      },
    });
    const s = await played(wire, [
      reply(say('first'), call('exec_command', { cmd: 'printf "äöü\\n},{\\"x\\""' }), call('no_such_tool', {})),
      reply(call('ask', {})),
      ...answers(2),
    ]);
    thread = await s.agent({}, { tools: [ask] }).startThread();
    await thread.run('one },{ "two"');
    await thread.run('two');
    await thread.close();
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start']);
  });

  testOne(
    'in other processes, when AGENTS.md changes and disappears, and when the policy and the developer instructions change',
    async () => {
      const s = await scene(answers(5));
      const run = (args: string[], config: ConfigTable = {}) =>
        runOxbow(['exec', '--json', ...args], { ...s, config: over(wire, config) });
      s.workspace.write('AGENTS.md', 'Use tabs.');
      const first = await run(['one']);
      const id = String(first.events[0]?.thread_id);
      await run(['resume', id, 'two']);
      s.workspace.write('AGENTS.md', 'Use blanks.');
      await run(['resume', id, 'three'], { developer_instructions: 'Be kind.' });
      rmSync(s.workspace.file('AGENTS.md'));
      await run(['resume', id, 'four'], { sandbox_mode: 'read-only' });
      await run(['resume', id, 'five'], { sandbox_mode: 'read-only' });
      expect(s.model.requests).toHaveLength(5);
      expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start']);
    },
  );

  testOne('on another day', async () => {
    const s = await played(wire, answers(2));
    const real = realWorld();
    let days = 0;
    const world: World = { ...real, now: () => real.now() + days * 86_400_000 };
    const thread = await s.agent({}, { world }).startThread();
    await thread.run('one');
    days = 1;
    await thread.run('two');
    await thread.close();
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start']);
    expect(s.model.requests[1]?.bytes.toString().match(/<current_date>/g)).toHaveLength(2);
  });

  testOne('after an interrupt', async () => {
    const s = await played(wire, [reply(say('a'), gate(new Promise(() => {}))), ...answers(1)]);
    const thread = await s.agent().startThread();
    const stop = new AbortController();
    const first = thread.run('one', { signal: stop.signal });
    await s.model.waitForRequest(1);
    stop.abort();
    await first;
    await thread.run('two');
    await thread.close();
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start']);
  });
});

describe.each(WIRES)('over %s, a request that does not begin with the one before has a cause', (wire) => {
  const testOne = testInTurn(WIRES.indexOf(wire));

  testOne('another model, with any instructions, and back', async () => {
    const s = await played(wire, answers(4));
    const id = await turnIn(s.agent({ tools: { apply_patch: 'function' } }), 'one');
    const next = (model: string) => turnIn(s.agent({ model, tools: { apply_patch: 'function' } }), 'next', id);
    await next('scripted-too');
    await next('gpt-5');
    await next('scripted');
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'model', 'model', 'model']);
  });

  testOne('a model without images, and one with images again; without an image only the model changes', async () => {
    const blind = { model: 'deepseek-chat', tools: { view_image: false } };
    const seeing = { tools: { view_image: false } };
    const s = await played(wire, answers(6));
    const id = await turnIn(s.agent(seeing), 'one');
    await turnIn(s.agent(blind), 'two', id);
    await turnIn(
      s.agent(seeing),
      [
        { type: 'text', text: 'look' },
        { type: 'image', url: PIXEL },
      ],
      id,
    );
    await turnIn(s.agent(blind), 'four', id);
    await turnIn(s.agent(blind), 'five', id);
    await turnIn(s.agent(seeing), 'six', id);
    const causes = ['start', 'model', 'model', 'model', 'images', 'model', 'images'];
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(causes);
    expect(s.model.requests.map(({ bytes }) => bytes.includes(PIXEL.split(',')[1] ?? ''))).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  testOne('other tools, and both tools and instructions', async () => {
    const s = await played(wire, answers(4));
    const id = await turnIn(s.agent(), 'one');
    await turnIn(s.agent({ tools: { update_plan: false } }), 'two', id);
    await turnIn(s.agent({ tools: { update_plan: false } }), 'three', id);
    const thread = await s.agent().resumeThread(id);
    await thread.run('four', { baseInstructions: 'You are a parrot.' });
    await thread.close();
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'tools', 'instructions', 'tools']);
  });

  testOne('instructions for a turn, which stay until others come', async () => {
    const s = await played(wire, answers(6));
    const thread = await s.agent().startThread();
    await thread.run('one');
    await thread.run('two', { baseInstructions: 'You are a parrot.' });
    await thread.run('three');
    await thread.run('four', { baseInstructions: 'You are a parrot.' });
    await thread.close();
    await turnIn(s.agent(), 'five', thread.id);
    await turnIn(
      s.agent({ model_instructions_file: s.workspace.write('base.md', 'You are an owl.') }),
      'six',
      thread.id,
    );
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'instructions', 'instructions']);
  });

  testOne('a compacted history', async () => {
    const s = await played(wire, [...answers(2), reply(say('a summary')), ...answers(2)]);
    const thread = await s.agent().startThread();
    await thread.run('one');
    await thread.run('two');
    await thread.compact();
    await thread.run('three');
    await thread.close();
    await turnIn(s.agent(), 'four', thread.id);
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'compaction']);
  });

  testOne('turns that another program rolled back', async () => {
    const s = await played(wire, answers(5));
    const thread = await s.agent().startThread();
    for (const input of ['one', 'two', 'three']) await thread.run(input);
    await thread.close();
    const payload = { type: 'thread_rolled_back', num_turns: 2 };
    appendFileSync(thread.path ?? '', `${JSON.stringify({ timestamp: '', type: 'event_msg', payload })}\n`);
    await turnIn(s.agent(), 'four', thread.id);
    await turnIn(s.agent(), 'five', thread.id);
    expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'rollback']);
    expect(s.model.requests[3]?.bytes.toString()).not.toContain('"three"');
  });
});

test('over chat, reasoning goes back until the next message of the user', async () => {
  let thread: Thread | undefined;
  const steer = defineTool({
    name: 'steer',
    description: 'Has the user speak.',
    parameters: { type: 'object' },
    async run() {
      await thread?.steer('and now?');
      return 'done';
    },
  });
  const thinking = (name: string) => reply(think([], { raw: `hm, ${name}` }), call(name, { cmd: 'true' }));
  const s = await played('chat', [
    ...[thinking('exec_command'), thinking('exec_command'), thinking('steer'), ...answers(1)],
    ...[reply(think([], { raw: 'it is never sent' }), say('two')), ...answers(1)],
  ]);
  thread = await s.agent({}, { tools: [steer] }).startThread();
  for (const input of ['one', 'two', 'three']) await thread.run(input);
  await thread.close();
  expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'reasoning']);
  expect(s.model.requests.map(({ bytes }) => bytes.toString().match(/hm, /g)?.length ?? 0)).toEqual([0, 1, 2, 0, 0, 0]);
});

/** Plays three turns with reasoning, calls, and a process that ends in between. */
async function thoughtfulTurns(wire: WireName): Promise<Played> {
  const thinking = (raw: string) => think([], { raw, encrypted: `signed ${raw}` });
  const s = await played(wire, [
    ...[
      reply(thinking('hm, one'), say('I look.'), call('exec_command', { cmd: 'true' })),
      reply(thinking('hm, two'), say('1')),
    ],
    ...[reply(thinking('hm, three'), call('exec_command', { cmd: 'true' })), ...answers(2)],
  ]);
  const id = await turnIn(s.agent(), 'one');
  await turnIn(s.agent(), 'two', id);
  await turnIn(s.agent(), 'three', id);
  expect(s.model.requests).toHaveLength(5);
  return s;
}

test('over messages, signed thinking and the marks of the cache keep the prefix', async () => {
  const s = await thoughtfulTurns('messages');
  expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start']);
  const mark = { type: 'ephemeral' };
  for (const { body, bytes } of s.model.requests) {
    // A mark in a message would have to move with the end of the history.
    expect(bytes.toString().match(/"cache_control"/g)).toHaveLength(2);
    expect(body).toMatchObject({ system: [{ cache_control: mark }], cache_control: mark });
  }
  const signed = s.model.requests.map(({ bytes }) => bytes.toString().match(/"signature":"signed hm/g)?.length ?? 0);
  expect(signed).toEqual([0, 1, 2, 3, 3]);
});

test('over ollama, thinking goes back until the next message of the user', async () => {
  const s = await thoughtfulTurns('ollama');
  expect(checkPrefix(s.model.requests, s.rollout())).toEqual(['start', 'reasoning', 'reasoning']);
  expect(s.model.requests.map(({ bytes }) => bytes.toString().match(/hm, /g)?.length ?? 0)).toEqual([0, 1, 0, 1, 0]);
});

test('a request that changed without a cause is noticed, and so is a cause that changed nothing', async () => {
  const s = await played('responses', answers(2));
  const thread = await s.agent().startThread();
  await thread.run('one');
  await thread.run('two');
  await thread.close();
  const [first, second] = s.model.requests;
  if (!first || !second) throw new Error('two requests were expected');
  const changed = { ...second, bytes: Buffer.from(second.bytes.toString().replace('"one"', '"uno"')) };
  expect(() => checkPrefix([first, changed], s.rollout())).toThrow(/the history has changed without a cause/);
  const line = { type: 'oxbow', payload: { kind: 'prefix.changed', cause: 'tools' } } as const;
  const lines = s.rollout();
  const at = lines.findLastIndex((one) => one.type === 'oxbow' && one.payload.kind === 'request.started');
  expect(() => checkPrefix([first, second], lines.toSpliced(at, 0, line))).toThrow(
    /the tools is the same despite tools/,
  );
});
