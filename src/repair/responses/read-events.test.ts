import { describe, expect, test } from 'vitest';
import { checkCases, MARK, WITH_TOOLS } from './fixtures/check-cases.ts';
import { CREATED, call, callLife, completed, message } from './fixtures/events.ts';
import { repaired } from './fixtures/repaired.ts';

const OSLO = '{"city":"Oslo"}';

describe('framing', () => {
  const life = callLife(OSLO);
  const body = { id: 'resp_1', object: 'response', status: 'completed', output: [call({ arguments: OSLO })] };
  const calls = [{ name: 'get_weather', arguments: OSLO, call_id: 'call_1' }];
  checkCases([
    ['a healthy response', [CREATED, ...life, completed(), MARK], { ids: [], calls }],
    ['a comment as data', [CREATED, ': keepalive', ...life, completed()], { ids: ['F2'], calls }],
    ['empty data', [CREATED, '', ...life, '  ', completed()], { ids: [], calls }],
    ['data that is not an object', [CREATED, '7', '[1', '"x"', ...life, completed()], { ids: ['F2'], calls }],
    [
      'a type that stands only in the name of the event',
      [CREATED, ...life, { event: 'response.completed', data: '{"response":{"id":"resp_1"}}' }],
      { ids: ['H9'], calls },
    ],
    [
      'an HTTP error that quotes a call',
      [{ error: { code: 'tool_use_failed', failed_generation: `<function=get_weather=${OSLO}</function>` } }],
      { ids: ['D13'], calls: [{ arguments: OSLO }], end: { type: 'completed' } },
    ],
    ['a wrapped event', [CREATED, ...life, { data: completed(), success: true }], { ids: ['F12'], calls }],
    ['a whole body', [body], { ids: ['F13'], calls }],
    [
      'a whole body with a status of another protocol',
      [{ ...body, status: 'complete' }],
      { ids: ['A7', 'F13'], calls },
    ],
    ['a wrapped body', [{ success: true, data: body }], { ids: ['F12', 'F13'], calls }],
    [
      'a whole body that was cut off',
      [{ ...body, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] }],
      { ids: ['F13'], calls: [], end: { type: 'incomplete', reason: 'max_output_tokens' } },
    ],
    [
      'a whole body that was cut off, with a call',
      [{ ...body, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
      { ids: ['F13'], calls: [], end: { type: 'incomplete', reason: 'max_output_tokens' } },
    ],
    [
      'a whole body of a failure, with a call',
      [{ ...body, status: 'failed', error: { code: 'server_error', message: 'no luck' } }],
      { ids: ['F13'], calls: [], end: { type: 'failed', code: 'server_error' } },
    ],
    [
      'a whole body of a failure',
      [{ ...body, status: 'failed', error: { code: 'server_error', message: 'no luck' }, output: [] }],
      { ids: ['F13'], calls: [], end: { type: 'failed', code: 'server_error', message: 'no luck' } },
    ],
    [
      'an error without a type',
      ['{"error":{"message":"quota exceeded","code":"insufficient_quota"}}', MARK],
      { ids: ['F10'], end: { type: 'failed', code: 'insufficient_quota', message: 'quota exceeded' } },
    ],
    [
      'an error event',
      [CREATED, { type: 'error', error: { message: 'overloaded' } }],
      { ids: [], end: { type: 'failed', message: 'overloaded' } },
    ],
  ]);

  test('a whole body has the events of a stream', () => {
    const output = [
      { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] },
      message('Hello'),
      call({ arguments: OSLO }),
      { type: 'custom_tool_call', id: 'ctc', call_id: 'call_2', name: 'apply_patch', input: 'patch' },
    ];
    const { frames } = repaired([{ ...body, output }], WITH_TOOLS);
    expect(frames.map(({ event }) => event)).toEqual([
      'response.created',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });
});
