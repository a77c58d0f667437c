import { describe } from 'vitest';
import { type Case, checkCases, MARK } from './fixtures/check-cases.ts';
import {
  added,
  argumentEvents,
  CREATED,
  call,
  callLife,
  completed,
  done,
  message,
  messageLife,
  reasoningLife,
} from './fixtures/events.ts';

const BLOCK = '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>';
const OSLO = '{"city":"Oslo"}';
const TWO = '{"city":"Oslo","days":"3"}{"city":"Rome"}';

const THOUGHT = reasoningLife([`I see. ${BLOCK}`], 'rs_1', 1);
const [announcement, part, ...ends] = messageLife([], 'msg_1');
const textDelta = (delta: string) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta,
});
const textDone = (text: string) => ({ ...ends[0], text });

/** `checkCases` repairs twice and compares. */
const CASES: readonly Case[] = [
  [
    'a call in reasoning with a damaged index, before text with a whole one',
    [
      CREATED,
      added({ type: 'reasoning', id: 'rs_1', summary: [] }),
      ...[BLOCK, 'I see. '].map((delta, n) => ({
        type: 'response.reasoning_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        content_index: n === 0 ? [] : 0,
        delta,
      })),
      done({
        type: 'reasoning',
        id: 'rs_1',
        summary: [],
        content: [{ type: 'reasoning_text', text: `${BLOCK}I see. ` }],
      }),
      completed({ output: [message('Hi')] }),
    ],
    { ids: ['H10'], text: 'Hi', calls: [] },
  ],
  [
    'a piece of arguments that is repeated after their end',
    [
      CREATED,
      added(call()),
      ...argumentEvents(['{"c', 'ity":"Oslo"}', '{"c']).slice(0, 3),
      ...argumentEvents([OSLO]).slice(1),
      done(call({ arguments: OSLO })),
      completed(),
    ],
    { ids: ['C5'], calls: [{ arguments: OSLO }] },
  ],
  [
    'a call that is not an object and has no end, before items that only the list has',
    [
      CREATED,
      added(call()),
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: 0 },
      completed({ output: [message('Hi')] }),
    ],
    { ids: ['C1', 'H10'], text: 'Hi', calls: [{ arguments: '0' }] },
  ],
  [
    'a message that is completed twice, in two forms that are repaired to the same',
    [
      CREATED,
      ...messageLife(['Look. ', BLOCK]).slice(0, -1),
      done(message('', { content: '' })),
      done(message(`Look. ${BLOCK}`)),
      MARK,
    ],
    { ids: ['A5', 'D1', 'D16', 'E7', 'H19'], text: 'Look. ', calls: [{ arguments: OSLO }] },
  ],
  [
    'a call without an id whose place another item takes',
    [
      CREATED,
      added(call({ id: false, call_id: 'call_2' })),
      added(call({ id: 'fc_2' })),
      ...argumentEvents([OSLO], 'fc_2'),
      done(call({ id: 'fc_2', arguments: OSLO })),
      completed(),
    ],
    {
      ids: ['C4', 'H10'],
      calls: [
        { call_id: 'call_1', arguments: OSLO },
        { call_id: 'call_2', arguments: '{}' },
      ],
    },
  ],
  [
    'a call that is announced without a name and an id, of a tool that accepts a text',
    [
      CREATED,
      added(call({ id: '', name: '' })),
      ...argumentEvents(['{"input":"the patch"}'], 'fc_2'),
      done(call({ id: 'fc_2', name: 'apply_patch', arguments: '{"input":"the patch"}' })),
      completed(),
    ],
    { ids: ['H2'], calls: [{ type: 'custom_tool_call', call_id: 'call_1', input: 'the patch' }] },
  ],
  [
    'text after the end of a text that was only calls',
    [
      CREATED,
      announcement ?? {},
      part ?? {},
      textDelta(BLOCK),
      textDone(BLOCK),
      textDelta(BLOCK),
      done(message(BLOCK)),
      completed(),
    ],
    { ids: ['D1', 'D16'], text: '', calls: [{ arguments: OSLO }] },
  ],
  [
    'arguments without an end of their own that come twice, and then once more as a whole',
    [
      CREATED,
      added(call()),
      ...argumentEvents([TWO, TWO.slice(3)]).slice(0, 2),
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: '' },
      done(call({ arguments: TWO })),
      completed(),
    ],
    {
      ids: ['C10', 'C6', 'H11'],
      calls: [{ arguments: '{"city":"Oslo","days":3}' }, { arguments: '{"city":"Rome"}' }],
    },
  ],
  [
    'the whole arguments, without the id of their item, after an end that is not an object',
    [
      CREATED,
      added(call()),
      ...argumentEvents([TWO]).slice(0, 1),
      done(call({ arguments: [] })),
      { type: 'response.function_call_arguments.done', item_id: {}, output_index: 0, arguments: TWO },
      completed(),
    ],
    { ids: ['C1', 'C10', 'C6'], calls: [{ arguments: '[]' }] },
  ],
  [
    'a call next to the same call in a text, and a connection that ends',
    [CREATED, ...callLife(OSLO), ...messageLife(['Look. ', BLOCK], 'msg_1', 1).slice(0, 4)],
    { ids: ['A5', 'D1', 'D16', 'H10'], text: 'Look. ', calls: [{ arguments: OSLO }] },
  ],
  [
    'reasoning with a call that comes as a whole before a piece of it, and a call in a text',
    [CREATED, ...messageLife([BLOCK]), ...THOUGHT.toSpliced(1, 2, ...THOUGHT.slice(1, 3).reverse()), completed()],
    { ids: ['D1', 'D16'], reasoning: `I see. ${BLOCK}`, calls: [{ arguments: OSLO }] },
  ],
  [
    'an empty piece of reasoning in a part of its own, before one with a call',
    [
      CREATED,
      ...THOUGHT.toSpliced(1, 0, { ...THOUGHT[1], content_index: 1, delta: '' }),
      ...callLife(OSLO, {}, 2),
      completed(),
    ],
    { ids: [], reasoning: `I see. ${BLOCK}`, calls: [{ arguments: OSLO }] },
  ],
  [
    'reasoning with a call that is completed twice, in two forms that are repaired to the same',
    [
      CREATED,
      ...THOUGHT.slice(0, -1),
      done({ type: 'reasoning', id: 'rs_1', summary: [], content: 'I see.' }, 1),
      ...THOUGHT.slice(-1),
      completed(),
    ],
    { ids: ['D1', 'D16', 'E10', 'H19'], reasoning: 'I see. ', calls: [{ arguments: OSLO }] },
  ],
  [
    'reasoning without an end and an id, whose index was in use, before an item with its new index',
    [
      CREATED,
      ...messageLife(['<think>hm</think>Rain'], 'msg_1', 0),
      added({ type: 'reasoning', id: {}, summary: [] }, 1),
      { type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 1, content_index: 0, delta: 'Look.' },
      ...messageLife(['It does.'], 'msg_2', 2),
      MARK,
    ],
    { ids: ['A5', 'E2', 'H10'], text: 'RainIt does.', reasoning: 'hmLook.' },
  ],
  [
    'reasoning between tags behind a call',
    [CREATED, ...messageLife([BLOCK, '<think>hm</think>Rain']), completed()],
    { ids: [], text: `${BLOCK}<think>hm</think>Rain`, reasoning: '', calls: [] },
  ],
];

describe('a response that a second repair once changed again', () => {
  checkCases(CASES);
});
