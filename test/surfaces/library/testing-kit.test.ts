import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defineTool, UserError } from '../../../src/index.ts';
import {
  call,
  callsOf,
  customCall,
  fault,
  instructionsOf,
  outputsOf,
  reply,
  say,
  testAgent,
  textsOf,
  toolsOf,
  when,
} from '../../../src/testing/index.ts';
import { REPLY_WIRES } from '../../../src/testing/wires/index.ts';
import { WIRES, type WireName } from '../../harness/wires.ts';

describe('testAgent', () => {
  test.each(WIRES)('runs commands in a workspace with files, on the wire %s', async (wire) => {
    await using t = await testAgent([reply(call('exec_command', { cmd: 'cat a.txt' })), reply(say('It says one.'))], {
      wire,
      files: { 'a.txt': 'one' },
    });
    const thread = await t.agent.startThread();
    expect((await thread.run('read it')).finalResponse).toBe('It says one.');
    expect(t.model.requests.map(({ path }) => path)).toEqual(Array(2).fill(`/v1${REPLY_WIRES[wire].path}`));
    expect(outputsOf(t.model.requests[1] as never)[0]?.text).toContain('one');
    t.assertDone();
  });

  test('takes the options of an agent, and merges settings and variables', async () => {
    const greet = defineTool({
      name: 'greet',
      description: 'Greets.',
      parameters: { type: 'object' },
      run: () => 'hello',
    });
    await using t = await testAgent([reply(say('ok'))], {
      tools: [greet],
      builtInTools: 'none',
      settings: { model: 'mine', model_providers: { scripted: { request_max_retries: 1 } } },
      env: { EXTRA: 'x' },
    });
    await (await t.agent.startThread()).run('hi');
    expect(t.model.requests[0]?.body.model).toBe('mine');
    expect(toolsOf(t.model.requests[0] as never)).toEqual(['greet']);
    expect(t.agent.provider).toMatchObject({ baseUrl: t.model.url, requestMaxRetries: 1 });
    expect(t.agent.config.env).toMatchObject({ EXTRA: 'x', OXBOW_HOME: t.workspace.home });
  });

  test('reads nothing of the machine', async () => {
    const home = process.env.HOME;
    process.env.OPENAI_API_KEY = 'sk-of-the-machine';
    process.env.OXBOW_MODEL = 'of-the-machine';
    await using t = await testAgent([reply(call('exec_command', { cmd: 'env' })), reply(say('ok'))]);
    delete process.env.OPENAI_API_KEY;
    delete process.env.OXBOW_MODEL;
    await (await t.agent.startThread()).run('hi');
    const [first, second] = t.model.requests;
    expect(first?.headers.authorization).toBeUndefined();
    expect(first?.body.model).toBe('scripted');
    expect(second && outputsOf(second)[0]?.text).not.toContain('of-the-machine');
    expect(t.agent.config.home).toBe(t.workspace.home);
    if (home !== undefined) expect(second && outputsOf(second)[0]?.text).not.toContain(`HOME=${home}\n`);
  });

  test('leaves nothing behind, even with a turn that runs', async () => {
    const t = await testAgent([fault.hang()]);
    const running = (await t.agent.startThread()).run('hi').catch(() => undefined);
    await t.model.waitForRequest(1);
    await t.close();
    await running;
    expect(existsSync(t.workspace.path)).toBe(false);
    await expect(fetch(t.model.url)).rejects.toThrow();
  });

  test('leaves nothing behind when the options are wrong', async () => {
    await expect(testAgent([], { settings: { model_provider: 'unknown' } })).rejects.toThrow(UserError);
  });

  test('asks a failing server as often as usual, without waiting', async () => {
    await using t = await testAgent(() => fault.status(500, {}));
    expect((await (await t.agent.startThread()).run('hi')).status).toBe('failed');
    expect(t.model.requests).toHaveLength(6);
  });
});

describe('assertDone', () => {
  test('names answers that were not asked for', async () => {
    await using t = await testAgent([
      reply(say('one')),
      reply(say('two')),
      when(/never/).reply(say('x')).times(2),
      when('perhaps').reply(say('y')).always(),
    ]);
    await (await t.agent.startThread()).run('hi');
    expect(() => t.assertDone()).toThrow(
      'The script has answers that were not asked for: answer 2, when(/never/) (used 0 of 2 times).',
    );
  });

  test('names requests that had no answer', async () => {
    await using t = await testAgent([when('weather').reply(say('Sunny.'))]);
    const thread = await t.agent.startThread();
    await thread.run('the weather?');
    const { error } = await thread.run('and tomorrow?');
    const sentence = `The script has no answer for request 2. Tried: when('weather') is used up.`;
    expect(error?.message).toContain(sentence);
    expect(t.model.unexpected).toHaveLength(1);
    expect(() => t.assertDone()).toThrow(sentence);
  });
});

describe('matching by content', () => {
  test('parallel threads get the answers that belong to them', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    await using t = await testAgent(
      numbers.flatMap((n) => [
        when(`ticket ${n}.`).reply(call('exec_command', { cmd: `echo file ${n}` })),
        when(`ticket ${n}.`).reply(say(`Closed ${n}.`)),
      ]),
    );
    const answers = await Promise.all(
      numbers.map(async (n) => (await (await t.agent.startThread()).run(`Close ticket ${n}.`)).finalResponse),
    );
    expect(answers).toEqual(numbers.map((n) => `Closed ${n}.`));
    t.assertDone();
  });

  test('outputs of calls count, instructions and calls do not; answers in order fill the rest', async () => {
    await using t = await testAgent([
      when(/shell|exec_command|printf/)
        .reply(say('never'))
        .always(),
      reply(call('exec_command', { cmd: 'printf a-; printf b' })),
      when('a-b').reply(say('The command printed a-b.')),
      reply(say('next')),
    ]);
    const thread = await t.agent.startThread();
    expect((await thread.run('go')).finalResponse).toBe('The command printed a-b.');
    expect((await thread.run('more')).finalResponse).toBe('next');
    t.assertDone();
  });

  test('a function sees the request, and a fault may be the answer', async () => {
    const isSecond = (request: Parameters<typeof textsOf>[0]) => textsOf(request).some(({ text }) => text === 'two');
    await using t = await testAgent([
      when(isSecond).answer(fault.status(400, { error: { message: 'no second one' } })),
      when(() => true)
        .reply(say('fine'))
        .always(),
    ]);
    const thread = await t.agent.startThread();
    expect((await thread.run('one')).finalResponse).toBe('fine');
    expect((await thread.run('two')).error?.message).toContain('no second one');
  });
});

describe('readers of requests', () => {
  test('return the same on every wire', async () => {
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+hi\n*** End Patch';
    const read = async (wire: WireName) => {
      await using t = await testAgent(
        [
          reply(say('I will look.'), call('exec_command', { cmd: 'cat a.txt' }, { callId: 'c1' })),
          reply(customCall('apply_patch', patch, { callId: 'c2' })),
          reply(say('Done.')),
          reply(say('You are welcome.')),
        ],
        { wire, files: { 'a.txt': 'one', 'AGENTS.md': 'Be brief.' } },
      );
      const thread = await t.agent.startThread({ instructions: 'You help.' });
      await thread.run('go');
      await thread.run('thanks');
      t.assertDone();
      const request = t.model.requests[3];
      if (request === undefined) throw new Error('there are four requests');
      const plain = (text: string) =>
        text
          .replaceAll(t.workspace.path, '/w')
          .replace(/Chunk ID: \w+/, 'Chunk ID: x')
          .replace(/Wall time: [\d.]+/, 'Wall time: 0');
      return {
        instructions: plain(instructionsOf(request)),
        texts: textsOf(request).map(({ role, text }) => ({ role, text: plain(text) })),
        calls: callsOf(request),
        outputs: outputsOf(request).map(({ callId, text }) => ({ callId, text: plain(text) })),
        tools: toolsOf(request),
      };
    };
    const responses = await read('responses');
    for (const wire of WIRES) expect(await read(wire), wire).toEqual(responses);
    expect(responses.instructions).toMatch(/^You help\.\n\n<permissions/);
    expect(responses.texts.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'assistant', 'user']);
    expect(responses.texts.at(-1)).toEqual({ role: 'user', text: 'thanks' });
    expect(responses.texts[0]?.text).toContain('Be brief.');
    expect(responses.calls).toEqual([
      { callId: 'c1', name: 'exec_command', arguments: '{"cmd":"cat a.txt"}' },
      { callId: 'c2', name: 'apply_patch', arguments: JSON.stringify({ input: patch }) },
    ]);
    expect(responses.outputs.map(({ callId }) => callId)).toEqual(['c1', 'c2']);
    expect(responses.outputs[0]?.text).toMatch(/Output:\none$/);
    expect(responses.tools).toContain('exec_command');
  });
});

test('the files of a workspace may be bytes', async () => {
  await using t = await testAgent([], { files: { 'b/c.bin': new Uint8Array([1, 2]) } });
  writeFileSync(t.workspace.file('d'), '');
  expect(t.workspace.read('b/c.bin')).toBe('\u0001\u0002');
});
