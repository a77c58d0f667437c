import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type Agent, type JsonSchema, type Thread, type TurnResult, UserError } from '../../../src/index.ts';
import { call, gate, reply, type Script, say, type TempWorkspace } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import { decodedRequest, over, WIRES, type WireName } from '../../harness/wires.ts';

const VERDICT = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['good', 'bad'] }, note: { type: 'string' } },
  required: ['verdict'],
  additionalProperties: false,
} as const;
const GOOD = '{"verdict":"good"}';

/** Runs a program on a new thread. The rollout is replayed at the end of the test. */
async function withThread<T>(script: Script, wire: WireName, use: (thread: Thread, s: LibraryScene) => Promise<T>) {
  const s = await libraryScene(script, over(wire));
  const thread = await s.agent.startThread(s.threadOptions());
  const result = await use(thread, s);
  await thread.close();
  return { ...s, result };
}

const answers = (...texts: string[]): Script => texts.map((text) => reply(say(text)));
const typesOf = ({ events }: LibraryScene) => events.map(({ type }) => type);

/** Returns the schema in the n-th request (from 0). */
function schemaIn({ model }: LibraryScene, n: number): unknown {
  const request = model.requests[n];
  return request && decodedRequest(request).text?.schema;
}

/** Returns the text of the last message in the n-th request (from 0). */
function lastText({ model }: LibraryScene, n: number): string {
  const request = model.requests[n];
  return JSON.stringify(request && decodedRequest(request).input.at(-1));
}

/** Replays the log as each line could be its last, after a crash. */
async function expectPrefixesReplayed(agent: Agent, workspace: TempWorkspace, path: string): Promise<void> {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  for (const count of lines.keys()) {
    workspace.write('part.jsonl', `${lines.slice(0, count + 1).join('\n')}\n`);
    const { divergence } = await agent.replay({ text: workspace.file('part.jsonl') });
    expect(divergence, `after line ${count + 1}`).toBeNull();
  }
}

describe.each(WIRES)('on the wire %s', (wire) => {
  const testOne = testInTurn(WIRES.indexOf(wire));

  const hasStrict = wire !== 'ollama';

  testOne('an answer that fits is parsed', async () => {
    const s = await withThread(answers(GOOD), wire, (thread) => thread.run('judge', { outputSchema: VERDICT }));
    expect(s.result).toMatchObject({ status: 'completed', finalResponse: GOOD, output: { verdict: 'good' } });
    expect(s.model.requests).toHaveLength(1);
    expect(schemaIn(s, 0)).toMatchObject({ strict: hasStrict, schema: VERDICT });
    expect(typesOf(s)).not.toContain('output.refused');
  });

  testOne('prose is asked for again, with what was expected', async () => {
    const s = await withThread(answers('It is good.', GOOD), wire, (thread) =>
      thread.run('judge', { outputSchema: VERDICT }),
    );
    expect(s.result).toMatchObject({ status: 'completed', finalResponse: GOOD, output: { verdict: 'good' } });
    expect(lastText(s, 1)).toMatch(/"user".*does not fit the schema.*the answer is not JSON/);
    expect(schemaIn(s, 1)).toMatchObject({ schema: VERDICT });
    expect(s.events).toContainEqual(
      expect.objectContaining({ type: 'output.refused', faults: [expect.stringContaining('not JSON')] }),
    );
    const users = s.events.filter((event) => event.type === 'item.completed' && event.item.type === 'user_message');
    expect(users).toHaveLength(1);
  });

  testOne('a code fence around all of the answer is taken off', async () => {
    const fenced = `\n\`\`\`json\n${GOOD}\n\`\`\`\n`;
    const s = await withThread(answers(fenced), wire, (thread) => thread.run('judge', { outputSchema: VERDICT }));
    expect(s.result).toMatchObject({ status: 'completed', finalResponse: fenced, output: { verdict: 'good' } });
  });

  testOne('after three wrong answers the turn fails, with the last one', async () => {
    const wrong = ['{"verdict":"fine"}', '{"verdict":"meh","a":1}', '{"verdict":"so-so"}'];
    const s = await withThread(answers(...wrong), wire, (thread) => thread.run('judge', { outputSchema: VERDICT }));
    expect(s.result).toMatchObject({
      status: 'failed',
      finalResponse: wrong[2],
      output: undefined,
      error: { code: 'output_invalid', message: expect.stringContaining('expected one of `good`, `bad`, got `so-so`') },
    });
    expect(s.model.requests).toHaveLength(3);
    expect(lastText(s, 2)).toMatch(/`verdict`: expected one of `good`, `bad`.*unknown field `a`/);
    expect(typesOf(s).slice(-3)).toEqual(['output.refused', 'turn.ledger', 'turn.failed']);
  });

  testOne('the schema of zod is sent in its strict form, and transforms the answer', async () => {
    const outputSchema = z.object({
      when: z.iso.date().transform((text) => new Date(text)),
      rooms: z.array(z.object({ beds: z.int(), view: z.string().optional() })),
    });
    const answer = '{"when":"2026-03-01","rooms":[{"beds":2,"view":null}]}';
    const s = await withThread(answers('{"when":"soon","rooms":[]}', answer), wire, (thread) =>
      thread.run('book', { outputSchema }),
    );
    expect(s.result).toMatchObject({ output: { when: new Date('2026-03-01'), rooms: [{ beds: 2 }] } });
    expect(s.result.output?.rooms[0]).not.toHaveProperty('view');
    expect(lastText(s, 1)).toContain('invalid value for `when`');
    expect(schemaIn(s, 0)).toMatchObject({
      strict: hasStrict,
      schema: {
        required: ['when', 'rooms'],
        additionalProperties: false,
        properties: {
          rooms: {
            items: {
              required: ['beds', 'view'],
              additionalProperties: false,
              properties: { view: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
            },
          },
        },
      },
    });
  });

  testOne('a thread whose answers were asked for again is resumed and goes on', async () => {
    const s = await withThread(
      answers('no', 'no', 'no', 'maybe', GOOD, 'bye'),
      wire,
      async (thread, { agent, workspace }) => {
        expect(await thread.run('judge', { outputSchema: VERDICT })).toMatchObject({
          error: { code: 'output_invalid' },
        });
        await thread.close();
        const resumed = await agent.resumeThread(thread.id);
        expect(await resumed.run('again', { outputSchema: VERDICT })).toMatchObject({ output: { verdict: 'good' } });
        expect(await resumed.run('thanks')).toMatchObject({ finalResponse: 'bye', output: undefined });
        await resumed.rollBack(2);
        await resumed.close();
        expect(await agent.replay(thread.id)).toMatchObject({ reproduced: true, turns: { replayed: 3 }, requests: 6 });
        await expectPrefixesReplayed(agent, workspace, thread.path ?? '');
        return resumed.state.history;
      },
    );
    // Each turn is one turn to take back, however often its answer was asked for.
    expect(JSON.stringify(s.result)).toMatch(/judge.*output_notification/);
    expect(JSON.stringify(s.result)).not.toContain('again"');
  });
});

test('a compaction in between keeps the message that asks again', async () => {
  const s = await libraryScene(
    [reply(say('no'), { usage: { inputTokens: 30_000 } }), reply(say('A summary.')), reply(say(GOOD))],
    { model_auto_compact_token_limit: 20_000 },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('judge', { outputSchema: VERDICT })).toMatchObject({ output: { verdict: 'good' } });
  await thread.close();
  expect(typesOf(s)).toContain('compacted');
  expect(lastText(s, 2)).toContain('output_notification');
});

test('limits count the requests that ask again', async () => {
  const s = await withThread(answers('no', 'no'), 'responses', (thread) =>
    thread.run('judge', { outputSchema: VERDICT, limits: { maxRequests: 2 } }),
  );
  expect(s.result).toMatchObject({ status: 'failed', error: { code: 'limit', limit: { kind: 'requests', value: 2 } } });
  expect(s.result.ledger.requests).toBe(2);
});

test('only the final answer is checked, and input that waits comes first', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const s = await withThread(
    [
      reply(say('I look first.'), call('exec_command', { cmd: 'true' })),
      reply(say('no'), gate(held)),
      reply(say('still no')),
      reply(say(GOOD)),
    ],
    'responses',
    async (thread, { model }) => {
      const turn = thread.run('judge', { outputSchema: VERDICT });
      await expect.poll(() => model.requests.length).toBe(2);
      await thread.steer('and be quick');
      answer();
      return turn;
    },
  );
  expect(s.result).toMatchObject({ status: 'completed', output: { verdict: 'good' } });
  expect(lastText(s, 2)).toContain('and be quick');
  expect(typesOf(s).filter((type) => type === 'output.refused')).toHaveLength(1);
});

test('a check that never ends can be interrupted, and a check that throws refuses the answer', async () => {
  const stuck = z.object({}).refine(() => new Promise<boolean>(() => {}));
  const url = z.object({ url: z.string().transform((text) => new URL(text)) });
  const s = await withThread(answers('{}', '{"url":"nowhere"}', '{"url":"http://a/"}'), 'responses', async (thread) => {
    const limits = { timeoutMs: 300 };
    expect(await thread.run('x', { outputSchema: stuck, limits })).toMatchObject({ error: { code: 'limit' } });
    return thread.run('x', { outputSchema: url });
  });
  expect(s.result).toMatchObject({ output: { url: new URL('http://a/') } });
  expect(lastText(s, 2)).toContain('the answer cannot be read: Invalid URL');
});

test('the schema of another library works if it can write JSON schemas, and a stream has the output too', async () => {
  const doubled = {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: async (value: unknown) => ({ value: { doubled: (value as { n: number }).n * 2 } }),
      jsonSchema: { input: () => ({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }) },
    },
  } as const;
  const s = await withThread(answers('{"n":4}'), 'responses', async (thread) => {
    const { events, result } = await thread.runStreamed('count', { outputSchema: doubled });
    for await (const _ of events);
    return result;
  });
  expect(s.result.output).toEqual({ doubled: 8 });
  expectTypeOf(s.result.output).toEqualTypeOf<{ doubled: number } | undefined>();
});

class OldSchema {
  readonly type = 'object';
  parse(): void {}
}

test.each<[string, unknown, RegExp]>([
  ['null', null, /is not a schema/],
  ['a text', '{"type":"object"}', /is not a schema/],
  ['a list', [VERDICT], /is not a schema/],
  ['a shape', { verdict: z.string() }, /is not a schema/],
  ['a schema of a library without Standard Schema', new OldSchema(), /is not a schema/],
  [
    'a schema that cannot be written as one',
    { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } },
    /The option outputSchema cannot be written as a JSON schema by this version of old/,
  ],
  ['a type that JSON lacks', z.object({ a: z.bigint() }), /cannot be written as a JSON schema: .*BigInt/],
])('%s is an error before any request', async (_, outputSchema, message) => {
  const s = await withThread(answers('done'), 'responses', async (thread) => {
    const error = await thread.run('x', { outputSchema: outputSchema as JsonSchema }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) });
    return thread.run('x');
  });
  expect(s.result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.model.requests).toHaveLength(1);
});

test('a schema that is only sent leaves the answer alone', async () => {
  const s = await withThread(answers('prose'), 'responses', (thread) => thread.run('x', { uncheckedSchema: VERDICT }));
  expect(s.result).toMatchObject({ status: 'completed', finalResponse: 'prose', output: undefined });
  expect(schemaIn(s, 0)).toMatchObject({ schema: VERDICT });
});

test('the output has the type of its schema', () => {
  const check = async (thread: Thread, schema: JsonSchema) => {
    const zod = await thread.run('x', { outputSchema: z.object({ a: z.string().transform(Number) }) });
    if (zod.status === 'completed') expectTypeOf(zod.output).toEqualTypeOf<{ a: number }>();
    else expectTypeOf(zod.output).toEqualTypeOf<undefined>();
    const literal = await thread.run('x', {
      outputSchema: {
        type: 'object',
        properties: { n: { type: 'integer' }, s: { enum: ['a', 'b'] } },
        required: ['n'],
      },
    });
    if (literal.status === 'completed') expectTypeOf(literal.output.n).toEqualTypeOf<number>();
    if (literal.status === 'completed') expectTypeOf(literal.output.s).toEqualTypeOf<'a' | 'b' | undefined>();
    expectTypeOf((await thread.run('x')).output).toEqualTypeOf<undefined>();
    expectTypeOf((await thread.run('x', { limits: { maxRequests: 1 } })).output).toEqualTypeOf<undefined>();
    expectTypeOf((await thread.run('x', { outputSchema: schema })).output).toEqualTypeOf<unknown>();
    expectTypeOf(zod).toExtend<TurnResult>();
  };
  expect(check).toBeTypeOf('function');
});
