import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { decode, framesOf, OPTIONS, SAMPLES, saidBy } from '../fixtures/conformance.ts';
import { anyJson } from '../responses/fixtures/arbitrary-items.ts';
import { anyResponse } from './fixtures/arbitrary-response.ts';
import { generate } from './generate.ts';

const decodePrompt = (fields: object) => generate.decodeRequest({ model: 'm', prompt: 'Why?', ...fields });

describe('a prompt', () => {
  test('is one message of the user', () => {
    const fields = { system: 'Be brief.', images: ['/9j/x'], think: 'low', format: 'json', options: { seed: 1 } };
    const ignored = { raw: true, template: 't', context: [1, 2], keep_alive: 0, suffix: '' };
    expect(decodePrompt({ ...fields, ...ignored })).toEqual({
      model: 'm',
      instructions: 'Be brief.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Why?' },
            { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/x' },
          ],
        },
      ],
      tools: [],
      toolChoice: 'auto',
      parallelToolCalls: true,
      reasoning: { effort: 'low' },
      text: { schema: { name: 'json_object', strict: false, schema: { type: 'object' }, anyObject: true } },
      store: false,
      include: [],
      sampling: { seed: 1 },
    });
  });

  test.each([
    [{ suffix: 'return x' }, 'suffix of the request must be empty'],
    [{ prompt: '' }, 'prompt of the request must be a text. The server of this model cannot load it'],
    [{ prompt: 7 }, 'prompt of the request must be a string'],
  ])('with %j is refused for servers of other wires', (fields, said) => {
    expect(() => decodePrompt(fields)).toThrow(`The field ${said}`);
  });

  test('that is not one is refused with a sentence', () => {
    const names = ['model', 'prompt', 'suffix', 'system', 'images', 'raw', 'format', 'think', 'options'];
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.constantFrom(...names), anyJson), anyJson), (body) => {
        try {
          expect(generate.decodeRequest(body).input).toHaveLength(1);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          expect(String(error)).toMatch(/must be .+\.$/s);
        }
      }),
    );
  });

  test('is sent as it came to a server of the wire', () => {
    const body = { model: 'a', prompt: '<fim>', suffix: 's', raw: true, options: { num_ctx: 9 } };
    const options = { model: 'b', stream: true, compat: DEFAULT_COMPAT };
    expect(generate.edge.editRequest(body, options)).toEqual({ ...body, model: 'b' });
    expect(generate.edge.editRequest(body, { ...options, model: 'a' })).toBe(body);
    expect(generate.path).toBe('/generate');
  });
});

describe('the answer to a prompt', () => {
  test('is a text, with an empty context at the end', () => {
    const [events = []] = SAMPLES;
    const lines = framesOf(generate, events).map(({ data }) => JSON.parse(data));
    expect(lines.slice(0, -1)).toMatchObject([
      { response: 'né ', done: false },
      { response: '河\r\n🦬', done: false },
    ]);
    expect(lines.at(-1)).toMatchObject({ response: '', done: true, done_reason: 'stop', context: [], eval_count: 5 });
    expect(generate.encodeBody(events, OPTIONS)).toMatchObject({ response: 'né 河\r\n🦬', done: true, context: [] });
    for (const line of lines) expect(line).not.toHaveProperty('message');
  });

  test('survives encoding and decoding', () => {
    const isCall = (type: string) => type === 'function_call';
    fc.assert(
      fc.property(anyResponse, (all) => {
        fc.pre(!all.some((event) => event.type === 'item.done' && isCall(event.item.type)));
        expect(decode(generate, framesOf(generate, all))).toStrictEqual(all);
        const body = { data: JSON.stringify(generate.encodeBody(all, OPTIONS)) };
        expect(saidBy(decode(generate, [body]))).toEqual(saidBy(all));
      }),
    );
  });

  test('is recognised in its lines', () => {
    const kindOf = (line: object) => generate.edge.inspect({ data: JSON.stringify(line) });
    expect(kindOf({ response: 'x', done: false })).toBe('speaks');
    expect(kindOf({ response: '', thinking: 'x', done: false })).toBe('speaks');
    expect(kindOf({ response: '', done: false })).toBe('other');
    expect(kindOf({ response: 'x', done: true })).toBe('end');
  });
});
