import { describe, expect } from 'vitest';
import { checkCases, MARK } from './fixtures/check-cases.ts';
import { CREATED, call, callLife, completed, done, messageLife, reasoningLife } from './fixtures/events.ts';

const OSLO = '{"city":"Oslo"}';
const TEXT_CALL = `<tool_call>{"name":"get_weather","arguments":${OSLO}}</tool_call>`;
const SPEAKS_CHAT = expect.stringMatching(/chat wire.*wire_api/);
const SPEAKS_MESSAGES = expect.stringMatching(/messages wire.*wire_api/);
const SPEAKS_NOTHING = expect.stringMatching(/without a single event.*wire_api/);

describe('the end', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  const counted = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
  const half = '{"city":"Os';
  checkCases([
    ['no id', [CREATED, ...callLife(OSLO), { type: 'response.completed', response: {} }], { ids: ['H9'] }],
    ['no response', [CREATED, ...callLife(OSLO), { type: 'response.completed' }], { ids: ['H9'] }],
    [
      'no id anywhere',
      [...messageLife(['Hi']), { type: 'response.completed' }],
      { ids: ['H9'], end: { type: 'completed' } },
    ],
    [
      'another name',
      [CREATED, ...messageLife(['Hi']), { ...completed(), type: 'response.done' }],
      { ids: ['A7'], text: 'Hi' },
    ],
    [
      'a contradicting status',
      [CREATED, completed({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })],
      { ids: ['A7'], end: { type: 'incomplete', reason: 'content_filter' } },
    ],
    [
      'a status that says failed',
      [CREATED, completed({ status: 'failed', error: { code: 'x', message: 'y' } })],
      { ids: ['A7'], end: { type: 'failed', code: 'x', message: 'y' } },
    ],
    [
      'usage of another protocol',
      [CREATED, completed({ usage })],
      { ids: ['H8'], end: { type: 'completed', usage: counted } },
    ],
    [
      'usage without a total',
      [CREATED, completed({ usage: { input_tokens: 3, output_tokens: 4, output_tokens_details: {} } })],
      { ids: ['H8'], end: { type: 'completed', usage: counted } },
    ],
    [
      'usage without details',
      [CREATED, completed({ usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } })],
      { ids: [] },
    ],
    [
      'a call that was cut off',
      [CREATED, ...callLife(half), completed()],
      { ids: ['A9'], calls: [], end: { type: 'incomplete', reason: 'max_output_tokens' } },
    ],
    [
      'a call that was cut off in pieces',
      [CREATED, ...callLife(half).slice(0, 3), completed()],
      { ids: ['A9'], calls: [], end: { type: 'incomplete' } },
    ],
    [
      'a call that was cut off, and whole in the list',
      [CREATED, ...callLife(half), completed({ output: [call({ arguments: OSLO })] })],
      { ids: ['H10'], calls: [{ arguments: OSLO }] },
    ],
    [
      'a limit that was reached inside a call',
      [
        CREATED,
        ...callLife(half),
        {
          type: 'response.incomplete',
          response: { id: 'resp_1', incomplete_details: { reason: 'max_output_tokens' } },
        },
      ],
      { ids: [], calls: [], end: { type: 'incomplete', reason: 'max_output_tokens' } },
    ],
    [
      'a text call whose status says that it was cut off',
      [
        CREATED,
        done({
          type: 'custom_tool_call',
          id: 'c',
          call_id: 'call_1',
          name: 'apply_patch',
          input: 'half',
          status: 'incomplete',
        }),
        completed(),
      ],
      { ids: ['A9'], calls: [], end: { type: 'incomplete' } },
    ],
    [
      'only the end mark after a call',
      [CREATED, ...callLife(OSLO), MARK],
      { ids: ['A5'], calls: [{ arguments: OSLO }] },
    ],
    ['only the end mark after a text', [CREATED, ...messageLife(['Hi']), MARK], { ids: ['A5'], text: 'Hi' }],
    [
      'only the end mark in a call',
      [CREATED, ...callLife(half).slice(0, 3), MARK],
      { ids: ['A6'], calls: [], end: { type: 'failed', code: 'stream_closed' } },
    ],
    [
      'the end of the connection after a call',
      [CREATED, ...callLife(OSLO)],
      { ids: ['A5'], calls: [{ arguments: OSLO }] },
    ],
    [
      'the end of the connection before the end of a call that is whole',
      [CREATED, ...callLife(OSLO).slice(0, 3)],
      { ids: ['A5', 'H10'], calls: [{ arguments: OSLO }] },
    ],
    [
      'the end of the connection after a text',
      [CREATED, ...messageLife(['Hi'])],
      { ids: ['A6'], end: { type: 'failed', code: 'stream_closed' } },
    ],
    [
      'the end of the connection in a call',
      [CREATED, ...callLife(half).slice(0, 3)],
      { ids: ['A6'], calls: [], end: { type: 'failed', code: 'stream_closed' } },
    ],
    [
      'the end of the connection after a call in reasoning',
      [CREATED, ...reasoningLife([`Now. ${TEXT_CALL}`])],
      { ids: ['A6'], calls: [], end: { type: 'failed', code: 'stream_closed' } },
    ],
    [
      'the end of the connection after a call in reasoning in a text',
      [CREATED, ...messageLife([`<think>Now. ${TEXT_CALL}</think>`])],
      { ids: ['A6', 'E2'], calls: [], end: { type: 'failed', code: 'stream_closed' } },
    ],
    ['nothing but the end mark', [MARK], { ids: ['A6'], end: { type: 'failed', message: SPEAKS_NOTHING } }],
    [
      'events of another protocol',
      [{ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }] }, MARK],
      { ids: ['A6'], end: { type: 'failed', message: SPEAKS_CHAT } },
    ],
    [
      'events of another protocol, and no end mark',
      [{ type: 'message_start', message: {} }],
      { ids: ['A6'], end: { type: 'failed', message: SPEAKS_MESSAGES } },
    ],
    [
      'events of no known protocol',
      [{ type: 'hello' }, MARK],
      { ids: ['A6'], end: { type: 'failed', message: SPEAKS_NOTHING } },
    ],
    ['the end of the connection before anything', [], { ids: ['A6'], end: { type: 'failed', code: 'stream_closed' } }],
  ]);
});
