import { bracketTokens } from './bracket-tokens.ts';
import { gap, testDialect } from './test-dialect.ts';

testDialect(bracketTokens, {
  calls: [
    ['a list', '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "SF"}}]', [['get_weather', { city: 'SF' }]]],
    [
      'a list of several',
      '[TOOL_CALLS] [{"name":"get_time","arguments":{}}, {"arguments":"{\\"days\\":1}","name":"get_weather"}] x',
      [
        ['get_time', {}],
        ['get_weather', { days: 1 }],
      ],
      'x',
    ],
    ['a list without its end', '[TOOL_CALLS][{"name":"get_time","arguments":{}}', [['get_time', {}]]],
    ['an object', '[TOOL_CALLS]{"name":"get_time","arguments":{}}', [['get_time', {}]]],
    [
      'a name',
      '[TOOL_CALLS]get_weather[ARGS]{"city": "a [ARGS] \\"b\\""}',
      [['get_weather', { city: 'a [ARGS] "b"' }]],
    ],
    [
      'the first of several names',
      '[TOOL_CALLS]get_time[ARGS]{}[TOOL_CALLS]get_time[ARGS]{}',
      [['get_time', {}]],
      '[TOOL_CALLS]get_time[ARGS]{}',
    ],
    ['a name and an id', '[TOOL_CALLS]get_time[CALL_ID]a1B2c3D4e[ARGS]{}</s>', [['get_time', {}]], '</s>'],
    ['a name without a token after it', '[TOOL_CALLS]get_weather{"days":1}', [['get_weather', { days: 1 }]]],
    ['a name without arguments', '[TOOL_CALLS]get_time[ARGS][TOOL_CALLS]', [['get_time', {}]], '[TOOL_CALLS]'],
    ['space', '[TOOL_CALLS] get_weather [ARGS]\n{ "days": 1 }', [['get_weather', { days: 1 }]]],
  ],
  refused: [
    '[TOOL_CALLS] is a token\n',
    '[TOOL_CALLS]unknown[b',
    '[TOOL_CALLS]unknown[ARGS]{',
    '[TOOL_CALLS][]',
    '[TOOL_CALLS][1',
    '[TOOL_CALLS][{"name":"unknown"',
    '[TOOL_CALLS]get_time[ARGS]x',
    '[TOOL_CALLS]get_time[OTHER]',
  ],
  halves: [
    '[TOOL_CALLS]',
    '[TOOL_CALLS]get_time',
    '[TOOL_CALLS]get_time[ARGS]',
    '[TOOL_CALLS]get_weather[ARGS]{"city":"S',
    '[TOOL_CALLS][{"name":"get_weather","arguments":{"city":"S',
  ],
  write(calls, style) {
    const line = gap(style);
    const [first] = calls;
    if (calls.length === 1 && style < 2) return `[TOOL_CALLS]${first?.name}[ARGS]${line}${JSON.stringify(first?.args)}`;
    return `[TOOL_CALLS]${line}[${calls.map(({ name, args }) => JSON.stringify({ name, arguments: args })).join(`,${line}`)}]`;
  },
  pieces: [
    'get_time',
    'get_weather',
    '[ARGS]',
    '[CALL_ID]',
    '{}',
    '{"days":1',
    '}',
    '[{"name":"get_time"',
    '}]',
    '[',
    '\n',
  ],
});
