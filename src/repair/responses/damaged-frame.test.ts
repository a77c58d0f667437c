import { describe } from 'vitest';
import { checkCases, MARK } from './fixtures/check-cases.ts';
import { CREATED, call, callLife, completed, done, message, messageLife } from './fixtures/events.ts';

const OSLO = '{"city":"Oslo"}';
const TEXT_CALL = `<tool_call>{"name":"get_weather","arguments":${OSLO}}</tool_call>`;
const DELTA = '{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":" and';
const TEXT_DELTA = '{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"delta":" and';
const DONE = '{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc';
const END = '{"type":"response.completed","response":{"id":"resp_1';

describe('a damaged frame', () => {
  const [begin, first, second, whole, end] = callLife(OSLO) as [object, object, object, object, object];
  const [opened, part, hi, ...rest] = messageLife(['Hi ', 'you']) as [object, object, object, ...object[]];
  const [shown, shownPart, text, ...closing] = messageLife([TEXT_CALL]) as [object, object, object, ...object[]];
  const calls = [{ arguments: OSLO }];
  const lost = { ids: ['F9'], calls: [], end: { type: 'failed', code: 'stream_closed' } };
  const kept = { ids: ['F9'], calls };
  checkCases([
    ['in arguments that came in pieces only', [CREATED, begin, first, DELTA, second, completed()], lost],
    ['in arguments whose end repeats them', [CREATED, begin, first, DELTA, second, end, completed()], kept],
    [
      'in arguments that only their own end repeats',
      [CREATED, begin, first, DELTA, second, whole, done(call()), completed()],
      { ...kept, ids: ['F9', 'H11'] },
    ],
    [
      'in arguments that their end does not repeat',
      [CREATED, begin, first, DELTA, second, done(call()), completed()],
      lost,
    ],
    [
      'in arguments that the list at the end repeats',
      [CREATED, begin, first, DELTA, second, completed({ output: [call({ arguments: OSLO })] })],
      { ...kept, ids: ['F9', 'H10'] },
    ],
    ['that was the end of a call', [CREATED, begin, first, second, whole, DONE, completed()], lost],
    ['of an unknown type', [CREATED, '{"a":', ...callLife(OSLO), completed()], { ...lost, calls }],
    ['after which nothing is complete', [CREATED, begin, first, DELTA, second, end, MARK], { ...lost, calls }],
    ['that was the end of the response', [CREATED, ...callLife(OSLO), END], { ...kept, ids: ['A5', 'F9'] }],
    [
      'in a text whose end repeats it',
      [CREATED, opened, part, hi, TEXT_DELTA, ...rest, completed()],
      { ids: ['F9'], text: 'Hi you' },
    ],
    ['in a text that never ends', [CREATED, opened, part, hi, TEXT_DELTA, completed()], lost],
    ['in a text with a call', [CREATED, shown, shownPart, TEXT_DELTA, text, ...closing, completed()], lost],
    [
      'in a text whose call was in it',
      [CREATED, opened, part, hi, TEXT_DELTA, done(message(`Hi. ${TEXT_CALL}`)), completed()],
      lost,
    ],
  ]);
});
