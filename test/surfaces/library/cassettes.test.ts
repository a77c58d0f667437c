import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentOptions } from '../../../src/index.ts';
import {
  call,
  fault,
  gate,
  readCassette,
  reply,
  type Script,
  say,
  testAgent,
  when,
} from '../../../src/testing/index.ts';
import { WIRES } from '../../harness/wires.ts';

const COUNT = [reply(call('exec_command', { cmd: 'cat note.txt' })), reply(say('It says one.'))];

/** Runs a prompt with a cassette in a workspace of its own. */
async function run(script: Script, prompt: string, options: AgentOptions & { readonly note?: string }) {
  const { note = 'one', ...given } = options;
  await using t = await testAgent(script, { files: { 'note.txt': note }, ...given });
  const thread = await t.agent.startThread({ ephemeral: true });
  const { status, finalResponse, error } = await thread.run(prompt);
  await thread.close();
  return { status, finalResponse, error, requests: t.model.requests.length };
}

/** Records a prompt. Returns the path of the cassette, which lives as long as the test. */
async function record(script: Script, prompt: string) {
  const home = await testAgent([]);
  const path = home.workspace.file('tape.jsonl');
  expect((await run(script, prompt, { record: path })).status).toBe('completed');
  return { path, [Symbol.asyncDispose]: home.close };
}

describe('strictly', () => {
  test('the same question is answered in another folder, without a server', async () => {
    await using tape = await record(COUNT, 'read it');
    expect(await run([], 'read it', { replay: tape.path })).toMatchObject({
      finalResponse: 'It says one.',
      requests: 0,
    });
  });

  test.each(WIRES)('a changed output fails the turn and is named, on %s', async (wire) => {
    await using home = await testAgent([]);
    const path = home.workspace.file('tape.jsonl');
    await run(COUNT, 'read it', { record: path, settings: { model_providers: { scripted: { wire_api: wire } } } });
    const replayed = await run([], 'read it', {
      replay: path,
      note: 'two',
      settings: { model_providers: { scripted: { wire_api: wire } } },
    });
    expect(replayed.status).toBe('failed');
    expect(replayed.error?.message).toMatch(
      /The cassette has no response for request 2\. Compared with the next recorded one, item \d+ of the input is (function_call_output|tool) ".*two", it was \1 ".*one"\. Record it again\./,
    );
  });
});

test('a thread that is closed does not end the recorded responses of other threads', async () => {
  await using home = await testAgent([]);
  const path = home.workspace.file('tape.jsonl');
  let goOn = () => {};
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const script = [when('slow').reply(say('It '), gate(going), say('took long.')), when('quick').reply(say('Done.'))];
  await using t = await testAgent(script, { record: path });
  const [slow, quick] = await Promise.all([t.agent.startThread(), t.agent.startThread()]);
  const begun = new Promise<void>((resolve) => {
    slow.subscribe(({ type }) => type === 'text.delta' && resolve());
  });
  const turn = slow.run('slow');
  await begun;
  await quick.run('quick');
  await quick.close();
  goOn();
  expect(await turn).toMatchObject({ status: 'completed' });
  await t.agent.close();
  const { exchanges } = await readCassette(path);
  expect(exchanges.map(({ error }) => error)).toEqual([null, null]);
});

describe('leniently', () => {
  test('outputs and instructions may differ', async () => {
    await using tape = await record(COUNT, 'read it');
    const settings = { developer_instructions: 'Be brief.' };
    const replay = { path: tape.path, match: 'lenient' } as const;
    expect(await run([], 'read it', { replay, note: 'two', settings })).toMatchObject({
      finalResponse: 'It says one.',
      requests: 0,
    });
  });

  test('the user must say the same', async () => {
    await using tape = await record(COUNT, 'read it');
    const { error } = await run([], 'write it', { replay: { path: tape.path, match: 'lenient' } });
    expect(error?.message).toContain('user "write it", it was user "read it"');
  });
});

describe('with update', () => {
  test('a missing file is recorded, and nothing is asked the second time', async () => {
    await using home = await testAgent([]);
    const replay = { path: home.workspace.file('new.jsonl'), update: true };
    expect(await run(COUNT, 'read it', { replay })).toMatchObject({ finalResponse: 'It says one.', requests: 2 });
    const text = readFileSync(replay.path, 'utf8');
    expect(statSync(replay.path).mode & 0o777).toBe(0o600);
    expect(await run([], 'read it', { replay })).toMatchObject({ finalResponse: 'It says one.', requests: 0 });
    expect(readFileSync(replay.path, 'utf8')).toBe(text);
    expect(await run([], 'read it', { replay: replay.path })).toMatchObject({ finalResponse: 'It says one.' });
  });

  test('only the requests that changed are sent, and the file has the exchanges of this run', async () => {
    await using tape = await record(COUNT, 'read it');
    const replay = { path: tape.path, update: true };
    const script = [when('two').reply(say('It says two.'))];
    expect(await run(script, 'read it', { replay, note: 'two' })).toMatchObject({
      finalResponse: 'It says two.',
      requests: 1,
    });
    expect((await readCassette(tape.path)).exchanges).toHaveLength(2);
    expect(await run([], 'read it', { replay: tape.path, note: 'two' })).toMatchObject({
      finalResponse: 'It says two.',
    });
    expect(readdirSync(dirname(tape.path)).filter((name) => name.startsWith('tape'))).toEqual(['tape.jsonl']);
  });

  test('a run whose server does not answer changes nothing', async () => {
    await using tape = await record(COUNT, 'read it');
    const text = readFileSync(tape.path, 'utf8');
    const replay = { path: tape.path, update: true };
    const failed = await run(() => fault.resetBeforeHeaders(), 'something else', { replay });
    expect(failed.status).toBe('failed');
    expect(readFileSync(tape.path, 'utf8')).toBe(text);
  });

  test('a run may be recorded in another file as well', async () => {
    await using home = await testAgent([]);
    const replay = { path: home.workspace.file('updated.jsonl'), update: true };
    const recorded = home.workspace.file('recorded.jsonl');
    await run([reply(say('ok'))], 'hi', { replay, record: recorded });
    const counts = [replay.path, recorded].map(async (path) => (await readCassette(path)).exchanges.length);
    expect(await Promise.all(counts)).toEqual([1, 1]);
  });

  test('keys are removed', async () => {
    await using home = await testAgent([]);
    const replay = { path: home.workspace.file('new.jsonl'), update: true };
    const provider = { env_key: 'MY_KEY' };
    await run([reply(say('ok'))], 'hi', {
      replay,
      env: { MY_KEY: 'sk-very-secret-key' },
      settings: { model_providers: { scripted: provider } },
    });
    expect(existsSync(replay.path)).toBe(true);
    expect(readFileSync(replay.path, 'utf8')).not.toContain('very-secret');
  });
});

test('wrong options are named', async () => {
  const started = async (replay: unknown) => {
    await using t = await testAgent([], { replay } as AgentOptions);
    await t.agent.startThread();
  };
  await expect(started({ path: 'x', match: 'loose' })).rejects.toThrow('must be "strict" or "lenient", not "loose"');
  await expect(started({ path: 'x', updates: true })).rejects.toThrow('replay has no option "updates"');
  await expect(started({})).rejects.toThrow('The option path of replay must be the path of a cassette.');
});

test('a cassette has the instructions and tools of its requests once', async () => {
  const steps = Array.from({ length: 9 }, (_, n) => reply(call('exec_command', { cmd: `echo ${n}` })));
  await using tape = await record([...steps, reply(say('ok'))], 'count');
  const { exchanges } = await readCassette(tape.path);
  const bodies = exchanges.map(({ request }) => request.body as { instructions: string; tools: unknown[] });
  expect(bodies).toHaveLength(10);
  const text = readFileSync(tape.path, 'utf8');
  const instructions = bodies[0]?.instructions ?? '';
  expect(instructions.length).toBeGreaterThan(1000);
  expect(text.split(JSON.stringify(instructions))).toHaveLength(2);
  expect(text.split(JSON.stringify(bodies[0]?.tools[0]))).toHaveLength(2);
  const whole = bodies.reduce((sum, body) => sum + JSON.stringify(body).length, 0);
  expect(text.length).toBeLessThan(whole / 2);
});
