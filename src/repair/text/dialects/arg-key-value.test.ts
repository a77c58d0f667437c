import { argKeyValue } from './arg-key-value.ts';
import { between, gap, testDialect } from './test-dialect.ts';

testDialect(argKeyValue, {
  calls: [
    [
      'one call',
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Beijing</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
      [['get_weather', { city: 'Beijing', days: 2 }]],
    ],
    [
      'a call without line breaks',
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>北京</arg_value></tool_call>ok',
      [['get_weather', { city: '北京' }]],
      'ok',
    ],
    ['no arguments', '<tool_call>get_time</tool_call>', [['get_time', {}]]],
    ['no arguments, with space', '<tool_call>\n get_time \n</tool_call>', [['get_time', {}]]],
    ...[
      'a\n</arg_value>\n</tool_call>\nb',
      'a <tool_call>b<arg_key>c</arg_key><arg_value>d</arg_value></tool_call> e',
    ].map(
      (content) =>
        [
          `a value that quotes its own tags: ${content}`,
          `<tool_call>write_file<arg_key>content</arg_key><arg_value>${content}</arg_value></tool_call>`,
          [['write_file', { content }]],
        ] as const,
    ),
    [
      'markup in a value',
      '<tool_call>write_file<arg_key>content</arg_key><arg_value>\n<a> & </arg_value> "x"\n</arg_value></tool_call>',
      [['write_file', { content: '<a> & </arg_value> "x"' }]],
    ],
    [
      'a text that ends after a value',
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bonn</arg_value>',
      [['get_weather', { city: 'Bonn' }]],
    ],
    [
      'a call that the next one ends',
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bonn</arg_value>\n<tool_call>get_time</tool_call>',
      [['get_weather', { city: 'Bonn' }]],
      '<tool_call>get_time</tool_call>',
    ],
    [
      'typed values',
      '<tool_call>plan<arg_key>steps</arg_key><arg_value>["a"]</arg_value><arg_key>options</arg_key><arg_value>{"deep":[1]}</arg_value></tool_call>',
      [['plan', { steps: ['a'], options: { deep: [1] } }]],
    ],
    ['a prefix', '<tool_call>functions.get_time</tool_call>', [['get_time', {}]]],
  ],
  refused: [
    '<tool_call>{',
    '<tool_call><function',
    '<tool_call>unknown<b',
    '<tool_call>unknown<arg_key>a</arg_key><arg_value>',
    '<tool_call> tags are',
    '<tool_call>get_time is',
    '<tool_call>get_weather<arg_key>city</arg_key>x',
  ],
  halves: [
    "<tool_call>get_weather<arg_key>city</arg_key><arg_value>printf '</arg_value>",
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>a</arg_value><arg_key>city</arg_key><arg_value>b</arg_value></tool_call>',
    '<tool_call>get_time',
    '<tool_call>get_time\n',
    '<tool_call>get_weather<arg_key>ci',
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bo',
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bonn</arg_value><arg_key>da',
    '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bonn</arg_value> and prose',
  ],
  write([call], style) {
    const line = gap(style);
    const pairs = Object.entries(call?.args ?? {}).map(
      ([key, value]) => `<arg_key>${key}</arg_key>${line}<arg_value>${between(value, style)}</arg_value>${line}`,
    );
    return `<tool_call>${call?.name}${line}${pairs.join('')}</tool_call>`;
  },
  most: 1,
  ambiguous: /<\/arg_value>\s*($|<)/,
  pieces: [
    'get_weather',
    'get_time',
    '<arg_key>',
    'city',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
    '</tool_call>',
    '\n',
    'x',
  ],
});
