import { describe, expect, test } from 'vitest';
import {
  began,
  call,
  closed,
  ending,
  frameOf,
  PING,
  piece,
  repair,
  type Sent,
  START,
  text,
  thinking,
} from './fixtures/repair-events.ts';

const HEALTHY: Readonly<Record<string, readonly Sent[]>> = {
  'a text': [START, ...text(0, 'Hello', ' world', '.'), ...ending('end_turn')],
  'pings between the events': [
    START,
    began(0, { type: 'text', text: '' }),
    PING,
    piece(0, { type: 'text_delta', text: 'Hi' }),
    PING,
    closed(0),
    PING,
    ...ending('end_turn'),
  ],
  'an empty text': [START, ...text(0), ...text(1, 'Hi'), ...ending('end_turn')],
  'an empty piece first': [START, ...text(0, '', 'Hi'), ...ending('end_turn')],
  'thinking, a text and two calls': [
    START,
    ...thinking(0, 'Hm', '.'),
    ...text(1, 'Let me look.'),
    ...call(2, 'toolu_1', 'add', '', '{"a"', ': 1}'),
    ...call(3, 'toolu_2', 'get_weather', '', '{"city": "Os', 'lo"}'),
    ...ending('tool_use'),
  ],
  'a call without arguments': [START, ...call(0, 'toolu_1', 'now', ''), ...ending('tool_use')],
  'a call without any piece': [START, ...call(0, 'toolu_1', 'now'), ...ending('tool_use')],
  'a call that a limit cut off': [START, ...call(0, 'toolu_1', 'add', '{"a": 1, "b'), ...ending('max_tokens')],
  'a call of a tool that the request does not have': [
    START,
    ...call(0, 'toolu_1', 'other_tool', '{"x', '": 1}'),
    ...ending('tool_use'),
  ],
  'omitted thinking': [START, ...thinking(0), ...text(1, 'Hi'), ...ending('end_turn')],
  'thinking between calls': [
    START,
    ...thinking(0, 'a'),
    ...call(1, 't1', 'now', '{}'),
    ...thinking(2, 'b'),
    ...call(3, 't2', 'now', '{}'),
    ...ending('tool_use'),
  ],
  'blocks of other kinds': [
    START,
    began(0, { type: 'redacted_thinking', data: 'xyz' }),
    closed(0),
    began(1, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
    piece(1, { type: 'input_json_delta', partial_json: '{"query": "x"}' }),
    closed(1),
    began(2, { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }),
    closed(2),
    ...text(3, 'Found.'),
    ...ending('end_turn'),
  ],
  citations: [
    START,
    began(0, { type: 'text', text: '', citations: [] }),
    piece(0, { type: 'text_delta', text: 'A' }),
    piece(0, { type: 'citations_delta', citation: { type: 'char_location' } }),
    closed(0),
    ...ending('end_turn'),
  ],
  'a stop sequence': [START, ...text(0, 'A'), ...ending('stop_sequence')],
  'a pause': [START, ...text(0, 'A'), ...ending('pause_turn')],
  'a refusal': [START, ...text(0, 'A'), ...ending('refusal')],
  'no content': [START, ...ending('end_turn')],
  'an error': [
    START,
    began(0, { type: 'text', text: '' }),
    piece(0, { type: 'text_delta', text: 'Hi' }),
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ],
  'only an error': [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  'text that quotes a call': [
    START,
    ...text(0, 'Write <tool_', 'call>{"name":"add"} and', ' so on.'),
    ...ending('end_turn'),
  ],
};

describe('a healthy message passes unchanged', () => {
  test.each(Object.entries(HEALTHY))('%s', (_, sent) => {
    const { frames, repairs } = repair(sent);
    expect(repairs).toEqual([]);
    expect(frames.map(({ event, data }) => ({ event, data }))).toEqual(sent.map(frameOf));
  });
});
