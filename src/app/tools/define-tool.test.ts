import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Action, OwnAction } from '../../base/action.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import type { JsonSchema } from '../../base/json-schema.ts';
import type { Tool, View } from '../../base/tool.ts';
import { defineTool, type OwnToolContext } from './define-tool.ts';

const view = {} as View;

function environmentOf(more: Partial<CallEnvironment> = {}) {
  const told: string[] = [];
  const signal = new AbortController().signal;
  const environment = {
    signal,
    threadId: 't1',
    callId: 'c1',
    progress: (text: string) => told.push(text),
    warn() {},
    ...more,
  };
  return { environment: environment as unknown as CallEnvironment, told };
}

const plan = (tool: Tool, args: unknown) =>
  tool.plan({ callId: 'c1', name: tool.name, payload: { kind: 'function', arguments: JSON.stringify(args) } }, view);

async function callTool(tool: Tool, args: unknown, environment = environmentOf().environment) {
  return tool.run(await plan(tool, args), environment);
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const base = { name: 'weather', description: 'The weather.', parameters: city, run: () => 'sunny' };

describe('parameters', () => {
  test('given as a JSON schema are sent as they are, and type the arguments', async () => {
    const tool = defineTool({
      ...base,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
      run(args) {
        expectTypeOf(args.city).toEqualTypeOf<string>();
        expectTypeOf(args.days).toEqualTypeOf<number | undefined>();
        return `${args.city} ${args.days}`;
      },
    });
    expect(tool.spec).toMatchObject({ name: 'weather', parameters: { required: ['city'] } });
    expect(await callTool(tool, { city: 'Ulm', days: null })).toEqual({ output: 'Ulm undefined', success: true });
  });

  test('given as a zod schema are sent as a JSON schema, and zod transforms the arguments', async () => {
    const tool = defineTool({
      ...base,
      parameters: z.object({
        when: z.iso.date().transform((text) => new Date(text)),
        unit: z.enum(['C', 'F']).default('C'),
      }),
      run({ when, unit }) {
        expectTypeOf(when).toEqualTypeOf<Date>();
        expectTypeOf(unit).toEqualTypeOf<'C' | 'F'>();
        return `${when.getUTCFullYear()} ${unit}`;
      },
    });
    const { parameters } = tool.spec as { parameters: JsonSchema };
    expect(parameters).toMatchObject({
      type: 'object',
      properties: { unit: { enum: ['C', 'F'] } },
      required: ['when'],
    });
    expect(parameters).not.toHaveProperty('$schema');
    expect(await callTool(tool, { when: '2026-03-01', unit: null })).toMatchObject({ output: '2026 C' });
  });

  test('of another library work too, if it can write JSON schemas', async () => {
    const standard = {
      version: 1,
      vendor: 'other',
      validate: async (value: unknown) => ({ value: { doubled: (value as { n: number }).n * 2 } }),
      jsonSchema: { input: () => ({ type: 'object', properties: { n: { type: 'number' } } }) },
    } as const;
    const tool = defineTool({ ...base, parameters: { '~standard': standard }, run: ({ doubled }) => `${doubled}` });
    expect(await callTool(tool, { n: 4 })).toMatchObject({ output: '8' });
    const { jsonSchema: _, ...bare } = standard;
    expect(() => defineTool({ ...base, parameters: { '~standard': bare } })).toThrow(
      'The parameters of the tool "weather" cannot be written as a JSON schema by this version of other. Use a newer version of other',
    );
  });

  test.each<[unknown, RegExp]>([
    [{ type: 'string' }, /must be the schema of an object/],
    [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), /must be the schema of an object/],
    [z.object({ a: z.bigint() }), /The parameters of the tool "weather" cannot be written as a JSON schema: .*BigInt/],
  ])('that cannot be described to a model are an error (%#)', (parameters, text) => {
    expect(() => defineTool({ ...base, parameters: parameters as JsonSchema })).toThrow(text);
  });

  test('of a strict tool are sent in the strict form, and a null stands for an absent field', async () => {
    const tool = defineTool({
      ...base,
      strict: true,
      parameters: z.object({ city: z.string(), days: z.int().optional() }),
      run: ({ city, days }) => `${city} ${days}`,
    });
    expect(tool.spec).toMatchObject({
      strict: true,
      parameters: {
        properties: { city: { type: 'string' }, days: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
        required: ['city', 'days'],
        additionalProperties: false,
      },
    });
    expect(await callTool(tool, { city: 'Ulm', days: null })).toMatchObject({ output: 'Ulm undefined' });
    expect(defineTool({ ...base, strict: true, parameters: { type: 'object' } }).spec).toMatchObject({
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    });
    for (const parameters of [
      z.object({ any: z.record(z.string(), z.string()) }),
      { type: 'object', properties: { a: { allOf: [city, city] } } } as const,
    ])
      expect(() => defineTool({ ...base, strict: true, parameters })).toThrow('The tool "weather" cannot be strict');
  });

  test('a name that servers refuse is an error', () => {
    expect(() => defineTool({ ...base, name: 'the weather' })).toThrow('"the weather" is not a name for a tool');
  });
});

describe('the model learns which arguments do not fit', () => {
  const nested = {
    type: 'object',
    properties: {
      places: { type: 'array', items: { type: 'object', properties: { lat: { type: 'number', maximum: 90 } } } },
    },
    additionalProperties: false,
  } as const;

  test('of a JSON schema', async () => {
    const tool = defineTool({ ...base, parameters: nested });
    await expect(plan(tool, { places: [{ lat: 1 }, { lat: 91 }], colour: 'red' })).rejects.toMatchObject({
      kind: 'parse',
      message:
        'failed to parse function arguments: invalid value for `places[1].lat`: expected at most 90, got 91; unknown field `colour`: expected `places`',
    });
  });

  test('of a zod schema, at most a few of them', async () => {
    const places = z.array(z.object({ lat: z.number().max(90) }));
    const tool = defineTool({ ...base, parameters: z.object({ places }) });
    await expect(plan(tool, { places: [{ lat: 1 }, { lat: 'x' }] })).rejects.toThrow(
      /^failed to parse function arguments: invalid value for `places\[1\]\.lat`: .*expected number/,
    );
    const many = plan(tool, { places: Array(50).fill({}) });
    await expect(many).rejects.toThrow(/places\[3\]/);
    await expect(many).rejects.not.toThrow(/places\[4\]/);
  });
});

describe('a call', () => {
  test('is mutating and runs alone by default', async () => {
    expect(defineTool(base).parallel).toBe(false);
    expect(await plan(defineTool(base), { city: 'x' })).toEqual({
      kind: 'own',
      tool: 'weather',
      input: { city: 'x' },
      mutating: true,
    });
    const reading = defineTool({ ...base, mutating: false });
    expect(reading.parallel).toBe(true);
    expect(await plan(reading, { city: 'x' })).toMatchObject({ mutating: false });
    expect(defineTool({ ...base, parallel: true }).parallel).toBe(true);
  });

  test.each<[Parameters<typeof defineTool<typeof city>>[0]['needsApproval'], string | undefined]>([
    [undefined, undefined],
    [false, undefined],
    [true, 'The model wants to call the tool "weather".'],
    [({ city }) => city === 'Ulm', 'The model wants to call the tool "weather".'],
    [({ city }) => city !== 'Ulm', undefined],
    [async ({ city }) => `It asks the weather of ${city}.`, 'It asks the weather of Ulm.'],
  ])('needs approval when the tool says so (%#)', async (needsApproval, approval) => {
    const tool = defineTool({ ...base, ...(needsApproval === undefined ? {} : { needsApproval }) });
    const { approval: asked } = (await plan(tool, { city: 'Ulm' })) as OwnAction;
    expect(asked).toBe(approval);
  });

  test('an action that the user changed is checked before it runs', async () => {
    const tool = defineTool({ ...base, run: ({ city }) => city });
    const action = (await plan(tool, { city: 'Ulm' })) as OwnAction;
    const edited = (input: unknown): Action => ({ ...action, input });
    expect(await tool.run(edited({ city: 'Bonn' }), environmentOf().environment)).toMatchObject({ output: 'Bonn' });
    await expect(tool.run(edited({ city: 5 }), environmentOf().environment)).rejects.toThrow('invalid type for `city`');
  });
});

describe('context', () => {
  async function contextOf(environment: CallEnvironment): Promise<OwnToolContext> {
    let seen: OwnToolContext | undefined;
    const tool = defineTool({
      ...base,
      run(_, context) {
        seen = context;
        context.progress('half');
        return '';
      },
    });
    await callTool(tool, { city: 'x' }, environment);
    if (!seen) throw new Error('it did not run');
    return seen;
  }

  test('progress is reported as long as the call runs', async () => {
    const { environment, told } = environmentOf();
    const context = await contextOf(environment);
    context.progress('too late');
    expect(told).toEqual(['half']);
  });

  test('the key is a UUID, the same only for the same call of the same thread', async () => {
    const keyOf = async (more: Partial<CallEnvironment>) =>
      (await contextOf(environmentOf(more).environment)).idempotencyKey;
    const key = await keyOf({});
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await keyOf({})).toBe(key);
    expect(await keyOf({ callId: 'c2' })).not.toBe(key);
    expect(await keyOf({ threadId: 't2' })).not.toBe(key);
  });
});

describe('time', () => {
  test('a call that takes too long fails, and its signal aborts', async () => {
    let reason: unknown;
    const tool = defineTool({
      ...base,
      timeoutMs: 20,
      async run(_, { signal }) {
        await delay(60_000, undefined, { signal }).catch(() => {});
        reason = signal.reason;
        throw new Error('nobody hears this');
      },
    });
    await expect(callTool(tool, { city: 'x' })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'weather timed out after 20 milliseconds',
    });
    await expect.poll(() => reason).toBeInstanceOf(Error);
  });

  test('a call that ignores its signal is not waited for', async () => {
    const tool = defineTool({ ...base, timeoutMs: 20, run: () => new Promise<string>(() => {}) });
    await expect(callTool(tool, { city: 'x' })).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('the signal aborts with the turn, with or without a time limit', async () => {
    const turn = new AbortController();
    const tool = defineTool({
      ...base,
      timeoutMs: 60_000,
      run: (_, { signal }) => delay(60_000, 'done', { signal }),
    });
    const running = callTool(tool, { city: 'x' }, environmentOf({ signal: turn.signal }).environment);
    turn.abort();
    await expect(running).rejects.toThrow('abort');
  });
});

test.each<[unknown, unknown]>([
  ['text', { output: 'text', success: true }],
  [undefined, { output: '', success: true }],
  [{ output: 'text' }, { output: 'text', success: true }],
  [
    { output: 'no', success: false },
    { output: 'no', success: false, failure: 'execution' },
  ],
  [{ output: [{ type: 'input_text', text: 'a' }] }, { output: [{ type: 'input_text', text: 'a' }], success: true }],
])('%j is the result %j', async (returned, result) => {
  expect(await callTool(defineTool({ ...base, run: () => returned as string }), { city: 'x' })).toEqual(result);
});

test.each([5, { text: 'x' }, []])('%j is not a result', async (returned) => {
  const tool = defineTool({ ...base, run: () => returned as unknown as string });
  await expect(callTool(tool, { city: 'x' })).rejects.toThrow(
    'the tool weather returned neither a text nor { output }',
  );
});

test('a definition may be an object with a state of its own', async () => {
  const tool = defineTool({
    ...base,
    count: 1,
    run() {
      return `${(this as unknown as { count: number }).count}`;
    },
  } as Parameters<typeof defineTool<typeof city>>[0]);
  expect(await callTool(tool, { city: 'x' })).toMatchObject({ output: '1' });
});
