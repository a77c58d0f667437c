import { pythonTag } from './python-tag.ts';
import { gap, testDialect } from './test-dialect.ts';

testDialect(pythonTag, {
  calls: [
    ['JSON', '<|python_tag|>{"name": "get_weather", "parameters": {"city": "x"}}', [['get_weather', { city: 'x' }]]],
    [
      'JSON, several times',
      '<|python_tag|>{"name":"get_time","parameters":{}}; {"name":"get_weather","parameters":{"days":1}}<|eom_id|>',
      [
        ['get_time', {}],
        ['get_weather', { days: 1 }],
      ],
    ],
    [
      'JSON between tokens',
      '<|python_start|>{"type":"function","name":"get_time","parameters":{}}<|python_end|> x',
      [['get_time', {}]],
      'x',
    ],
    ['JSON without arguments', '<|python_tag|>{"name":"get_time"}', [['get_time', {}]]],
    [
      'a list in Python',
      `<|python_start|>[get_weather(city="San \\"F\\" (x]", days=3, metric=True), get_time()]<|python_end|>`,
      [
        ['get_weather', { city: 'San "F" (x]', days: 3, metric: true }],
        ['get_time', {}],
      ],
    ],
    [
      'lists, tuples and objects in Python',
      `<|python_start|>[plan(steps=['a', "b\\n\\u00e9"], options={'x': None, "y": (1, -2.5,)},)]`,
      [['plan', { steps: ['a', 'b\né'], options: { x: null, y: [1, -2.5] } }]],
    ],
    ['a list without its end', '<|python_start|>[get_time()', [['get_time', {}]]],
    ['a call of a method', '<|python_tag|>get_weather.call(city="SF")<|eom_id|>', [['get_weather', { city: 'SF' }]]],
    ['a call and text', '<|python_tag|>{"name":"get_time"} x', [['get_time', {}]], 'x'],
  ],
  refused: [
    '<|python_tag|>import math',
    '<|python_tag|>{"name":"unknown"',
    '<|python_tag|>{"city"',
    '<|python_start|>[unknown(',
    '<|python_start|>[get_time() x',
    '<|python_start|>[get_weather("SF")',
    '<|python_start|>[get_weather(city=SF)',
    '<|python_start|>[]',
    '<|python_tag|>get_time =',
  ],
  halves: [
    '<|python_tag|>',
    '<|python_tag|>{"name":"get_time"',
    '<|python_start|>[get_weather(city="S',
    '<|python_start|>[get_weather(days=1',
    '<|python_start|>[get_time(),',
  ],
  write(calls, style) {
    const written = calls.map(({ name, args }) => JSON.stringify({ name, parameters: args }));
    return `<|python_tag|>${gap(style)}${written.join(style % 2 === 0 ? '; ' : ';\n')}${style === 3 ? '<|eom_id|>' : ''}`;
  },
  pieces: [
    '{"name":"get_time"',
    ',"parameters":{',
    '}',
    ';',
    '[',
    ']',
    'get_weather(',
    'city=',
    '"',
    "'",
    'x',
    ')',
    ',',
    '<|python_end|>',
    '\\',
    '1',
  ],
});
