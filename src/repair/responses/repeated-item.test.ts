import { describe } from 'vitest';
import { checkCases, MARK } from './fixtures/check-cases.ts';
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
} from './fixtures/events.ts';

const OSLO = '{"city":"Oslo"}';
const BERGEN = '{"city":"Bergen"}';
const { id: _, ...bare } = call();

describe('an item completed twice', () => {
  const calls = [{ arguments: OSLO, call_id: 'call_1' }];
  checkCases([
    ['a call', [CREATED, ...callLife(OSLO), done(call({ arguments: OSLO })), completed()], { ids: ['H19'], calls }],
    [
      'a call that was not announced',
      [CREATED, done(call({ arguments: OSLO })), done(call({ arguments: '{ "city": "Oslo" }' })), MARK],
      { ids: ['A5', 'H19'], calls },
    ],
    [
      'a call without an id of its item',
      [CREATED, done({ ...bare, arguments: OSLO }), done({ ...bare, arguments: OSLO }), completed()],
      { ids: ['H19'], calls },
    ],
    [
      'a call with another one between, all at one place',
      [
        CREATED,
        ...callLife(OSLO),
        added(call({ id: 'fc_2', call_id: 'call_2' })),
        done(call({ arguments: OSLO })),
        ...argumentEvents([BERGEN], 'fc_2'),
        done(call({ id: 'fc_2', call_id: 'call_2', arguments: BERGEN })),
        completed(),
      ],
      { ids: ['H19'], calls: [...calls, { arguments: BERGEN, call_id: 'call_2' }] },
    ],
    ['the whole life of a call', [CREATED, ...callLife(OSLO), ...callLife(OSLO), completed()], { ids: ['H19'], calls }],
    [
      'a call that the list at the end has twice',
      [CREATED, ...callLife(OSLO), completed({ output: [call({ arguments: OSLO }), call({ arguments: OSLO })] })],
      { ids: ['H10', 'H19'], calls },
    ],
    [
      'another call under the same ids',
      [CREATED, done(call({ arguments: OSLO })), done(call({ arguments: BERGEN })), completed()],
      { ids: ['B8'], calls: [...calls, { arguments: BERGEN }] },
    ],
    [
      'the same call under another id',
      [CREATED, ...callLife(OSLO), ...callLife(OSLO, { id: 'fc_2', call_id: 'call_2' }, 1), completed()],
      { ids: [], calls: [...calls, { arguments: OSLO, call_id: 'call_2' }] },
    ],
    ['a message', [CREATED, ...messageLife(['Hi']), done(message('Hi')), completed()], { ids: ['H19'], text: 'Hi' }],
  ]);
});
