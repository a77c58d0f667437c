import { describe } from 'vitest';
import { checkCases, MARK, WEATHER, WITH_TOOLS } from './fixtures/check-cases.ts';
import { CREATED, callLife, completed, done, message, messageLife, reasoningLife } from './fixtures/events.ts';
import { textPart } from './item-shapes.ts';

const OSLO = '{"city":"Oslo"}';
const TEXT_CALL = '<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>';

describe('calls in the text', () => {
  const calls = [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' }];
  const thought = ['I should look.', TEXT_CALL];
  const pieces = TEXT_CALL.match(/[\s\S]{1,7}/g) ?? [];
  checkCases([
    ['alone', [CREATED, ...messageLife(pieces), completed()], { ids: ['D1', 'D16'], calls, text: '' }],
    [
      'after a text',
      [
        CREATED,
        ...messageLife(['Let me look.\n', ...pieces]),
        completed({ output: [message(`Let me look.\n${TEXT_CALL}`)] }),
      ],
      { ids: ['D1', 'D16'], calls, text: 'Let me look.\n' },
    ],
    [
      'in a message that came only as a whole',
      [CREATED, done(message(TEXT_CALL)), completed()],
      { ids: ['D1', 'D16'], calls },
    ],
    [
      'in a response that stops at the end mark',
      [CREATED, ...messageLife(pieces), MARK],
      { ids: ['A5', 'D1', 'D16'], calls },
    ],
    [
      'that came as an item before',
      [CREATED, ...callLife(OSLO), ...messageLife(pieces, 'msg_1', 1), completed()],
      { ids: ['D1', 'D16'], calls: [{ call_id: 'call_1' }], text: '' },
    ],
    [
      'that differ from the items before',
      [CREATED, ...callLife('{"city":"Rome"}'), ...messageLife(pieces, 'msg_1', 1), completed()],
      { ids: [], calls: [{ call_id: 'call_1' }], text: TEXT_CALL },
    ],
    [
      'that come as items later',
      [CREATED, ...messageLife(pieces), ...callLife(OSLO, {}, 1), completed()],
      { ids: ['D1', 'D16'], calls: [{ call_id: 'call_1' }], text: '' },
    ],
    [
      'of a response that was cut off',
      [CREATED, ...messageLife(pieces), { type: 'response.incomplete', response: { id: 'resp_1' } }],
      { ids: [], calls: [], text: TEXT_CALL, end: { type: 'incomplete' } },
    ],
    [
      'of a response that failed',
      [CREATED, ...messageLife(['Look.\n', ...pieces]), { type: 'response.failed', response: { id: 'resp_1' } }],
      { ids: [], calls: [], text: `Look.\n${TEXT_CALL}`, end: { type: 'failed' } },
    ],
    [
      'with a text after them in another message',
      [CREATED, ...messageLife(pieces), ...messageLife(['I did not', ' run it.'], 'msg_2', 1), completed()],
      { ids: [], calls: [], text: `${TEXT_CALL}I did not run it.` },
    ],
    [
      'with a text after them in another message, where the messages stand only in the list',
      [CREATED, completed({ output: [message(TEXT_CALL), message('I did not run it.', { id: 'msg_2' })] })],
      { ids: ['H10'], calls: [], text: `${TEXT_CALL}I did not run it.` },
    ],
    [
      'with a text after them in another message that comes as a whole',
      [CREATED, ...messageLife(pieces), done(message('I did not run it.', { id: 'msg_2' }), 1), completed()],
      { ids: [], calls: [], text: `${TEXT_CALL}I did not run it.` },
    ],
    [
      'with a text after them in another part',
      [CREATED, done(message('', { content: [textPart(TEXT_CALL), textPart('I did not run it.')] })), completed()],
      { ids: [], calls: [], text: `${TEXT_CALL}I did not run it.` },
    ],
    [
      'with another call after them',
      [CREATED, ...messageLife(['Look.\n', ...pieces]), ...callLife('{"city":"Rome"}', {}, 1), completed()],
      { ids: [], calls: [{ arguments: '{"city":"Rome"}' }], text: `Look.\n${TEXT_CALL}` },
    ],
    [
      'to tools that do not exist',
      [CREATED, ...messageLife(pieces), completed()],
      { ids: [], calls: [], text: TEXT_CALL },
      { tools: new Map([['other', WEATHER]]) },
    ],
    [
      'that are not looked for',
      [CREATED, ...messageLife(pieces), completed()],
      { ids: [], calls: [], text: TEXT_CALL },
      { ...WITH_TOOLS, textCalls: false },
    ],
    [
      'to a tool that accepts a text',
      [
        CREATED,
        ...messageLife(['<tool_call>{"name":"apply_patch","arguments":{"input":"the patch"}}</tool_call>']),
        completed(),
      ],
      { ids: ['D1', 'D16'], calls: [{ type: 'custom_tool_call', input: 'the patch' }] },
    ],
    [
      'in an error that quotes them',
      [CREATED, { type: 'error', error: { code: 'tool_use_failed', message: 'x', failed_generation: TEXT_CALL } }],
      { ids: ['D13'], calls },
    ],
    [
      'to a tool that does not exist, in an error that quotes them',
      [CREATED, { type: 'error', error: { message: 'x', failed_generation: '<function=unknown>{}</function>' } }],
      { ids: [], calls: [], end: { type: 'failed', message: 'x' } },
    ],
    [
      'in reasoning that came only as a whole',
      [CREATED, ...reasoningLife(thought).slice(-1), completed()],
      { ids: ['D1', 'D16'], calls, reasoning: 'I should look.' },
    ],
    [
      'in reasoning, and nothing else',
      [CREATED, ...reasoningLife(thought), completed()],
      { ids: ['D1', 'D16'], calls, reasoning: 'I should look.' },
    ],
    [
      'in reasoning, before a text',
      [CREATED, ...reasoningLife(thought), ...messageLife(['It rains.'], 'msg_1', 1), completed()],
      { ids: [], calls: [], reasoning: thought.join(''), text: 'It rains.' },
    ],
    [
      'in reasoning, before a call',
      [CREATED, ...reasoningLife(thought), ...callLife(OSLO, {}, 1), completed()],
      { ids: [], calls: [{ call_id: 'call_1' }], reasoning: thought.join('') },
    ],
    [
      'in reasoning, and the connection ends',
      [CREATED, ...reasoningLife(thought)],
      { ids: ['A6'], calls: [], end: { type: 'failed' } },
    ],
  ]);
});
