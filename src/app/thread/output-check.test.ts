import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../test/harness/runs.ts';
import { type AnswerSchema, createOutputCheck } from './output-check.ts';

const ANY = { anyOf: [{}] };
const schemaOf = (given: AnswerSchema) => createOutputCheck(given).options.outputSchema;

describe('an answer', () => {
  test('is any JSON, with a fence around it or not', async () => {
    const fence = fc.constantFrom(['', ''], ['```json\n', '\n```'], ['\n```\n', '```\n'], ['``` JSON\r\n', '\r\n```']);
    const space = fc.constantFrom('', '\n', '  ');
    const answer = fc.tuple(fc.jsonValue(), fence, space, fc.boolean());
    await fc.assert(
      fc.asyncProperty(answer, async ([value, [before, after], around, indented]) => {
        const { options, output } = createOutputCheck(ANY);
        const text = `${around}${before}${JSON.stringify(value, null, indented ? 2 : 0)}${after}${around}`;
        expect(await options.checkOutput(text)).toEqual([]);
        expect(JSON.stringify(output())).toBe(JSON.stringify(value));
      }),
      { numRuns: runs(500) },
    );
  });

  test.each(['', 'Sure: {"a":1}', '```json {"a":1}```', '```json\n{"a":1}\n``` as asked', '{"a":1', '```'])(
    'that is more or less than JSON has a fault: %j',
    async (answer) => {
      const { options, output } = createOutputCheck(ANY);
      await options.checkOutput('{}');
      expect(await options.checkOutput(answer)).toEqual([expect.stringMatching(/^the answer is not JSON: /)]);
      expect(output()).toBeUndefined();
    },
  );

  test('may have null for each optional field of a strict schema', async () => {
    const shape = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number().optional() }),
      z.object({ kind: z.literal('dot'), at: z.object({ x: z.number(), label: z.string().optional() }) }),
    ]);
    const { options, output } = createOutputCheck(z.object({ shapes: z.array(shape), title: z.string().default('-') }));
    const shapes = [
      { kind: 'circle', radius: null },
      { kind: 'dot', at: { x: 1, label: null } },
    ];
    expect(await options.checkOutput(JSON.stringify({ shapes, title: null }))).toEqual([]);
    expect(output()).toEqual({ title: '-', shapes: [{ kind: 'circle' }, { kind: 'dot', at: { x: 1 } }] });
  });
});

describe('the schema of a library is sent', () => {
  test('with closed objects, unless they say otherwise', () => {
    expect(schemaOf(z.looseObject({ a: z.string() }))).toMatchObject({ additionalProperties: {} });
    expect(schemaOf(z.record(z.string(), z.object({ a: z.string() })))).toMatchObject({
      additionalProperties: { required: ['a'], additionalProperties: false },
    });
  });

  test('as it is if it has parts that must all fit', () => {
    const part = { type: 'object', properties: { a: { type: 'string' } } };
    const both = { allOf: [part, { ...part, required: ['a'] }] };
    const validate = (value: unknown) => ({ value });
    const jsonSchema = { input: () => both };
    expect(schemaOf({ '~standard': { version: 1, vendor: 'other', validate, jsonSchema } })).toEqual(both);
  });
});
