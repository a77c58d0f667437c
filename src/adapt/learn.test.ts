import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { DEFAULT_REQUEST_COMPAT } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { adaptRequest } from './adapt-request.ts';
import { RULES, type TestedRules } from './fixtures/adapted.ts';
import { anyCompat, chatRequest, responsesRequest } from './fixtures/arbitrary-request.ts';
import { frozen } from './fixtures/frozen.ts';
import {
  assistant,
  call,
  callItem,
  developer,
  image,
  imagePart,
  message,
  outputItem,
  result,
  system,
  user,
} from './fixtures/history.ts';
import { CHAT_REFUSALS } from './fixtures/refusals.ts';
import { learn } from './learn.ts';
import type { CompatPatch, LearnerCompat } from './refusals/rule.ts';

const hi = user('hi');
const tool = { type: 'function', function: { name: 'shell', strict: false, parameters: { type: 'object' } } };
const sentBody = { model: 'm', messages: [hi], tools: [tool], stream: true };
const defaults: LearnerCompat = {
  ...DEFAULT_REQUEST_COMPAT,
  callIds: 'any',
  sendReasoning: 'turn',
  parallelToolCalls: true,
};

interface Case {
  readonly wire?: TestedRules;
  readonly status?: number;
  readonly body: unknown;
  readonly sent: Fields;
  readonly compat?: Partial<LearnerCompat>;
}

function lessonOf({ wire = 'chat', status = 400, body, sent, compat = {} }: Case) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return learn(RULES[wire], { status, body: text }, frozen(sent), frozen({ ...defaults, ...compat }));
}

const patchOf = (given: Case) => lessonOf(given)?.patch;
const error = (words: string, more: object = {}) => ({
  error: { message: words, type: 'invalid_request_error', ...more },
});

describe('the refusals of the catalogue', () => {
  test.each(CHAT_REFUSALS)('$id: $words', ({ words, sent, patch }) => {
    const given = { ...sentBody, ...sent };
    expect(patchOf({ body: error(words), sent: given })).toEqual(patch);
    // The same words in other shapes of errors.
    expect(patchOf({ body: { object: 'error', message: words, code: 400 }, sent: given })).toEqual(patch);
    expect(patchOf({ body: { detail: words }, status: 422, sent: given })).toEqual(patch);
    expect(patchOf({ body: words, status: 500, sent: given })).toEqual(patch);
    const raw = JSON.stringify(error(words));
    expect(
      patchOf({ body: { error: { message: 'Provider returned error', metadata: { raw } } }, sent: given }),
    ).toEqual(patch);
    // Nothing is learned twice.
    expect(patchOf({ body: error(words), sent: given, compat: patch as Partial<LearnerCompat> })).not.toEqual(patch);
  });

  test.each(CHAT_REFUSALS)('$id teaches nothing about a request without the refused part: $words', ({ words }) => {
    const sent = { model: 'm', messages: [hi], stream: true };
    expect(patchOf({ body: error(words), sent, compat: { parallelToolCalls: false } })).toBeUndefined();
  });

  test('have reasons that are sentences', () => {
    for (const { words, sent } of CHAT_REFUSALS) {
      expect(lessonOf({ body: error(words), sent: { ...sentBody, ...sent } })?.reason).toMatch(
        /^The server .{20,200}\.$/,
      );
    }
  });

  test.each([200, 401, 403, 404, 413, 429, 502, 503])('teach nothing with the status %i', (status) => {
    const sent = { ...sentBody, messages: [developer('a')] };
    expect(patchOf({ body: error('unknown variant `developer`'), status, sent })).toBeUndefined();
  });
});

describe('fields named by their place', () => {
  const messages = [
    hi,
    { ...assistant('a'), reasoning_content: 'r', name: 'n' },
    assistant('', { ...call('c1'), name: 'x' }),
  ];
  const sent = { ...sentBody, messages, store: false, tools: [] };
  const forbidden = (...loc: unknown[]) => ({
    type: 'extra_forbidden',
    loc,
    msg: 'Extra inputs are not permitted',
    input: 'store',
  });

  test('are dropped, all of them at once', () => {
    const detail = [forbidden('body', 'store'), forbidden('body', 'messages', 2, 'assistant', 'tool_calls', 0, 'name')];
    const expected = { dropFields: ['store', 'messages.*.tool_calls.*.name'] };
    expect(patchOf({ body: { detail }, status: 422, sent })).toEqual(expected);
    const wrapped = { object: 'error', message: { detail }, type: 'invalid_request_error', param: null, code: null };
    expect(patchOf({ body: wrapped, status: 422, sent })).toEqual(expected);
  });

  test('may be written as Python writes them', () => {
    const words =
      "[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 1, 'assistant', 'name'), 'msg': 'Extra inputs are not permitted', 'input': 'n'}]";
    expect(patchOf({ body: { object: 'error', message: words }, sent })).toEqual({ dropFields: ['messages.*.name'] });
  });

  test('may be reasoning, which is then not sent', () => {
    const detail = [forbidden('body', 'messages', 1, 'assistant', 'reasoning_content')];
    const drops = { dropFields: ['messages.*.reasoning_content'] };
    expect(patchOf({ body: { detail }, status: 422, sent })).toEqual({ ...drops, sendReasoning: 'none' });
    expect(patchOf({ body: { detail }, sent, compat: { sendReasoning: 'all' } })).toEqual(drops);
    const words =
      "messages.2.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported";
    expect(patchOf({ body: { message: words, code: 'wrong_api_format' }, sent })).toEqual({
      ...drops,
      sendReasoning: 'none',
    });
  });

  test('are added to those already dropped', () => {
    const detail = [forbidden('body', 'store')];
    expect(patchOf({ body: { detail }, sent, compat: { dropFields: ['seed'] } })).toEqual({
      dropFields: ['seed', 'store'],
    });
    expect(patchOf({ body: { detail }, sent, compat: { dropFields: ['store'] } })).toBeUndefined();
  });

  test('include lists of tools only if these are empty', () => {
    const detail = [forbidden('body', 'tools')];
    expect(patchOf({ body: { detail }, sent })).toEqual({ dropFields: ['tools'] });
    expect(patchOf({ body: { detail }, sent: sentBody })).toBeUndefined();
  });

  test('never include needed or absent fields', () => {
    const places = ['model', 'messages', 'stream', 'tools', 'absent', 'input'].map((name) => forbidden('body', name));
    const inner = ['role', 'content', 'tool_calls'].map((name) => forbidden('body', 'messages', 2, 'assistant', name));
    expect(patchOf({ body: { detail: [...places, ...inner] }, sent: sentBody })).toBeUndefined();
    expect(patchOf({ body: { detail: [...places, ...inner] }, sent: { ...sentBody, messages } })).toBeUndefined();
  });

  test('do not include fields of other mistakes', () => {
    const detail = [{ type: 'missing', loc: ['body', 'store'], msg: 'Field required', input: {} }];
    expect(patchOf({ body: { detail }, sent })).toBeUndefined();
  });
});

describe('fields named by a parameter', () => {
  test('are dropped where the code says that they are unknown', () => {
    const sent = { model: 'm', input: [{ ...callItem('c1'), status: 'done' }], store: true, temperature: 0 };
    const named = (param: string, code: string) =>
      patchOf({ wire: 'responses', body: error('Something is wrong.', { param, code }), sent });
    expect(named('input[0].status', 'unknown_parameter')).toEqual({ dropFields: ['input.*.status'] });
    expect(named('store', 'unsupported_parameter')).toEqual({ dropFields: ['store'] });
    expect(named('temperature', 'unsupported_value')).toEqual({ dropFields: ['temperature'] });
    expect(named('store', 'invalid_type')).toBeUndefined();
    expect(named('store', 'unsupported_value')).toBeUndefined();
    expect(named('input[0].name', 'unknown_parameter')).toBeUndefined();
  });
});

describe('the token limit', () => {
  const refuse = (name: string) => error(`Unsupported parameter: '${name}' is not supported with this model.`);

  test('is tried under both names, then dropped', () => {
    const first = { ...sentBody, max_completion_tokens: 5 };
    const second = { ...sentBody, max_tokens: 5 };
    expect(patchOf({ body: refuse('max_completion_tokens'), sent: first })).toEqual({ maxTokens: 'max_tokens' });
    const once = { maxTokens: 'max_tokens' } as const;
    expect(patchOf({ body: refuse('max_tokens'), sent: second, compat: once })).toEqual({
      maxTokens: 'max_completion_tokens',
    });
    const twice = { maxTokens: 'max_completion_tokens' } as const;
    expect(patchOf({ body: refuse('max_completion_tokens'), sent: first, compat: twice })).toEqual({
      dropFields: ['max_completion_tokens'],
    });
  });

  test('is lowered and not renamed where it is too large', () => {
    const words = 'max_tokens is too large: 32000. This model supports at most 4096 completion tokens.';
    const body = error(words, { param: 'max_tokens' });
    expect(patchOf({ body, sent: { ...sentBody, max_tokens: 32000 } })).toEqual({ maxOutputTokens: 4096 });
    expect(patchOf({ body, sent: { ...sentBody, max_tokens: 4096 } })).toBeUndefined();
  });
});

describe('the content of turns without text', () => {
  const sent = (content: unknown) => ({ ...sentBody, messages: [hi, assistant(content, call('c1')), result('c1')] });
  const nil = 'invalid message content type: <nil>';
  const blank = 'messages: text content blocks must be non-empty';

  test('goes from one form to the next until all were tried', () => {
    expect(patchOf({ body: error(nil), sent: sent(null) })).toEqual({ emptyContent: 'empty' });
    expect(patchOf({ body: error(blank), sent: sent(''), compat: { emptyContent: 'empty' } })).toEqual({
      emptyContent: 'space',
    });
    expect(patchOf({ body: error(blank), sent: sent('') })).toEqual({ emptyContent: 'null' });
    expect(patchOf({ body: error(blank), sent: sent(null), compat: { emptyContent: 'null' } })).toEqual({
      emptyContent: 'space',
    });
    expect(patchOf({ body: error(blank), sent: sent(' '), compat: { emptyContent: 'space' } })).toEqual({
      emptyContent: 'omit',
    });
    expect(patchOf({ body: error(blank), sent: sent(undefined), compat: { emptyContent: 'omit' } })).toBeUndefined();
  });

  test('may be named by its place', () => {
    const detail = [
      {
        type: 'string_type',
        loc: ['body', 'messages', 1, 'assistant', 'content'],
        msg: 'Input should be a valid string',
        input: null,
      },
    ];
    expect(patchOf({ body: { detail }, status: 422, sent: sent(null) })).toEqual({ emptyContent: 'empty' });
  });
});

describe('the choice of a tool', () => {
  test('is left to the model first, then left out', () => {
    const body = error('Thinking mode does not support this tool_choice');
    expect(patchOf({ body, sent: { ...sentBody, tool_choice: 'required' } })).toEqual({ toolChoice: 'auto' });
    const compat = { toolChoice: 'auto' } as const;
    expect(patchOf({ body, sent: { ...sentBody, tool_choice: 'auto' }, compat })).toEqual({ toolChoice: 'omit' });
    expect(patchOf({ body, sent: sentBody, compat: { toolChoice: 'omit' } })).toBeUndefined();
  });
});

describe('the Responses wire', () => {
  const history = [message('user', 'hi'), callItem('call_1'), outputItem('call_1', [imagePart()])];
  const cases: readonly [string, Fields, CompatPatch][] = [
    ["Output of tool call should be 'Input text'", {}, { toolImages: 'user' }],
    ['No tool output found for function call call_2.', { input: [callItem('call_2')] }, { toolOrder: 'strict' }],
    ['Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.', {}, { callIds: 'nine' }],
    [
      "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      { input: [callItem('c', 'a.b')] },
      { toolNames: 'plain' },
    ],
    [
      'input[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`',
      { input: [message('developer', 'x')] },
      { developerRole: 'system' },
    ],
    [
      'System message must be at the beginning.',
      { instructions: 'a', input: [message('system', 'x')] },
      { systemMessages: 'one' },
    ],
    ['Unsupported parameter: max_output_tokens', { max_output_tokens: 5 }, { dropFields: ['max_output_tokens'] }],
  ];

  test.each(cases)('%s', (words, fields, patch) => {
    expect(patchOf({ wire: 'responses', body: error(words), sent: { model: 'm', input: history, ...fields } })).toEqual(
      patch,
    );
  });
});

describe('parts of the request that a server repeats', () => {
  test('are ignored', () => {
    const messages = [developer('unknown field `store`'), assistant(null, call('c1'))];
    const sent = { ...sentBody, store: true, messages };
    const detail = [{ type: 'value_error', loc: ['body'], msg: 'Value error', input: 'unknown field `store`' }];
    expect(patchOf({ body: { detail }, sent })).toBeUndefined();
  });
});

describe('any server', () => {
  const anyWords = fc.oneof(
    fc.constantFrom(...CHAT_REFUSALS.map(({ words }) => words)),
    fc.string(),
    fc.constantFrom('store', 'stop', 'unknown', 'max_tokens').map((name) => `Unsupported parameter: '${name}'`),
  );
  const request = fc.oneof(
    chatRequest.map((body) => ({ wire: 'chat' as const, body: frozen(body) as Fields })),
    responsesRequest.map((body) => ({ wire: 'responses' as const, body: frozen(body) as Fields })),
  );

  test('that refuses everything runs out of lessons', () => {
    fc.assert(
      fc.property(request, fc.array(anyWords, { minLength: 1, maxLength: 6 }), ({ wire, body }, refusals) => {
        let compat = defaults;
        let lessons = 0;
        for (let given = 0; given < 6; given++) {
          for (const words of refusals) {
            const { body: sent } = adaptRequest(RULES[wire], body, compat);
            const lesson = learn(RULES[wire], { status: 400, body: words }, sent, compat);
            if (lesson === undefined) continue;
            expect({ ...compat, ...lesson.patch }).not.toEqual(compat);
            compat = { ...compat, ...lesson.patch };
            expect(++lessons).toBeLessThan(30);
            given = 0;
          }
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test('may answer garbage: nothing throws and no needed field is dropped', () => {
    fc.assert(
      fc.property(request, anyCompat, fc.oneof(fc.string(), fc.json()), ({ wire, body }, compat, refusal) => {
        const lesson = learn(RULES[wire], { status: 400, body: refusal }, body, compat);
        const needed = ['model', 'messages', 'input', 'stream'];
        expect(
          lesson?.patch.dropFields?.filter((path) => !compat.dropFields.includes(path) && needed.includes(path)) ?? [],
        ).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test('may send an answer of any length, which is read quickly', () => {
    const sent = { ...sentBody, store: true, stop: ['a', 'b'], messages: [system('a'), hi, user([image()])] };
    for (const piece of ['a', "'a', ", 'unknown field ', '[', '{"error":', 'content ', 'tool_choice ', 'stop ']) {
      expect(() => lessonOf({ body: piece.repeat(200_000), sent })).not.toThrow();
    }
  });
});
