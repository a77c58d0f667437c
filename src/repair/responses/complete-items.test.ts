import { describe } from 'vitest';
import { checkCases } from './fixtures/check-cases.ts';
import {
  added,
  CREATED,
  call,
  callLife,
  completed,
  done,
  message,
  messageLife,
  reasoningLife,
  textDelta,
} from './fixtures/events.ts';

const OSLO = '{"city":"Oslo"}';

describe('items', () => {
  checkCases([
    [
      'reasoning without a summary',
      [
        CREATED,
        added({ type: 'reasoning', id: 'rs' }),
        done({ type: 'reasoning', id: 'rs', content: 'hm' }),
        ...messageLife(['Hi'], 'msg_1', 1),
        completed(),
      ],
      { ids: ['E10'], reasoning: 'hm', text: 'Hi' },
    ],
    ['content as a text', [CREATED, done(message('', { content: 'Hi' })), completed()], { ids: ['E7'], text: 'Hi' }],
    [
      'no content, but deltas',
      [
        CREATED,
        added(message('', { content: [] })),
        textDelta('Hi'),
        done(message('', { content: null })),
        completed(),
      ],
      { ids: ['E7'], text: 'Hi' },
    ],
    [
      'a message that was never completed',
      [CREATED, ...messageLife(['Hi', ' you']).slice(0, 4), completed()],
      { ids: ['H10'], text: 'Hi you' },
    ],
    [
      'a message that is complete only in the list',
      [CREATED, ...messageLife(['Hi', ' you']).slice(0, 3), completed({ output: [message('Hi you')] })],
      { ids: ['H10'], text: 'Hi you' },
    ],
    [
      'a call that was never completed',
      [CREATED, ...callLife(OSLO).slice(0, 3), completed()],
      { ids: ['H10'], calls: [{ name: 'get_weather', arguments: OSLO, call_id: 'call_1' }] },
    ],
    [
      'reasoning that was never completed',
      [CREATED, ...reasoningLife(['h', 'm']).slice(0, 3), ...messageLife(['Hi'], 'msg_1', 1), completed()],
      { ids: ['H10'], reasoning: 'hm' },
    ],
    [
      'items that stand only in the list',
      [CREATED, completed({ output: [message('Hi'), call({ arguments: OSLO })] })],
      { ids: ['H10'], text: 'Hi', calls: [{ name: 'get_weather', arguments: OSLO }] },
    ],
    [
      'items that have other ids in the list',
      [CREATED, ...callLife(OSLO), completed({ output: [call({ id: 'fc_other', arguments: OSLO })] })],
      { ids: ['H10'], calls: [{ id: 'fc_1' }] },
    ],
    [
      'text without an announcement',
      [CREATED, textDelta('Hi'), textDelta(' you'), done(message('Hi you')), completed()],
      { ids: ['H9'], text: 'Hi you' },
    ],
    ['text without anything around it', [textDelta('Hi'), completed()], { ids: ['H10', 'H9'], text: 'Hi' }],
    [
      'an answer that came as reasoning',
      [CREATED, ...reasoningLife(['It is 391.']), completed()],
      { ids: ['E11'], text: 'It is 391.', reasoning: 'It is 391.' },
      {},
    ],
    [
      'reasoning alone, where there are tools',
      [CREATED, ...reasoningLife(['hm']), completed()],
      { ids: [], text: '', reasoning: 'hm' },
    ],
  ]);
});
