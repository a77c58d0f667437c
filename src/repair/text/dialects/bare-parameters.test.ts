import { bareParameters } from './bare-parameters.ts';
import { testDialect } from './test-dialect.ts';

testDialect(bareParameters, {
  calls: [
    ['one call', '{"name": "get_weather", "parameters": {"city": "x"}}', [['get_weather', { city: 'x' }]]],
    ['one call and space', '{ "type": "function", "name": "get_time", "parameters": {} }\n', [['get_time', {}]]],
    [
      'several calls',
      '{"name":"get_time","parameters":{}}; {"name":"get_time","parameters":{}}\n{"name":"get_weather","parameters":{"days":1}};',
      [
        ['get_time', {}],
        ['get_time', {}],
        ['get_weather', { days: 1 }],
      ],
    ],
  ],
  refused: [
    '{"name":"Bob"',
    '{"title',
    '{}',
    '{"name":"get_time","arguments":{}}',
    '{"name":"get_time","parameters":{}} is the call',
    '{"name":"get_time","parameters":{"type":"object","properties":{}}}',
    '{"type":"object"',
  ],
  halves: ['{', '{"name":"get_time"}', '{"name":"get_weather","parameters":{"city":"S'],
  write: (calls, style) =>
    calls
      .map(({ name, args }) => JSON.stringify({ name, parameters: args }, null, style))
      .join(style === 0 ? '; ' : '\n'),
  pieces: ['"name":', '"get_time"', ',', '"parameters":', '{', '}', ';', '\n', 'x'],
});
