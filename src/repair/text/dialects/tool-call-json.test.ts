import { gap, testDialect, type Written } from './test-dialect.ts';
import { toolCallJson } from './tool-call-json.ts';

const json = ({ name, args }: Written) => JSON.stringify({ name, arguments: args });

testDialect(toolCallJson, {
  calls: [
    [
      'one call',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'one call and text after it',
      '<tool_call>{"name":"get_time","arguments":{}}</tool_call> and now',
      [['get_time', {}]],
      'and now',
    ],
    [
      'only the first of several blocks',
      '<tool_call>{"name":"get_time"}</tool_call>\n<tool_call>{"name":"get_time"}</tool_call>',
      [['get_time', {}]],
      '<tool_call>{"name":"get_time"}</tool_call>',
    ],
    [
      'a block that the next one ends',
      '<tool_call>{"name":"get_time"}\n<tool_call>{"name":"get_time"}',
      [['get_time', {}]],
      '<tool_call>{"name":"get_time"}',
    ],
    [
      'a list in a block',
      '<tool_call>[{"name":"get_time","arguments":{}}, {"name":"get_weather","arguments":{"city":"Bonn"}}]</tool_call>',
      [
        ['get_time', {}],
        ['get_weather', { city: 'Bonn' }],
      ],
    ],
    [
      'objects one after the other in a block',
      '<tool_call>{"name":"get_time"}\n{"name":"get_weather","parameters":{"days":2}}</tool_call>',
      [
        ['get_time', {}],
        ['get_weather', { days: 2 }],
      ],
    ],
    [
      'a wrapper around blocks',
      '<tool_calls>\n<tool_call>{"name":"get_time"}</tool_call>\n<tool_call/>\n<tool_call>{"name":"get_time"}</tool_call>\n</tool_calls>',
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    ['a wrapper around a list', '<tool_calls>[{"name":"get_time"}]</tool_calls>', [['get_time', {}]]],
    ['an empty block before', '<tool_call/>\n<tool_call>{"name":"get_time"}</tool_call>', [['get_time', {}]]],
    ['no closing tag', '<tool_call>{"name":"get_time","arguments":{}}', [['get_time', {}]]],
    [
      'brackets that are missing',
      '<tool_call>{"name":"get_weather","arguments":{"city":"SF"}\n</tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'brackets that are missing in a list',
      '<tool_call>[{"name":"get_weather","arguments":{"city":"SF"}}\n</tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'escapes that JSON does not have, and line breaks',
      '<tool_call>{"name":"write_file","arguments":{"path":"C:\\dir","content":"a\nb"}}</tool_call>',
      [['write_file', { path: 'C:\\dir', content: 'a\nb' }]],
    ],
    ['half a closing tag', '<tool_call>{"name":"get_time","arguments":{}}\n</tool_', [['get_time', {}]]],
    ['one bracket too many', '<tool_call>{"name":"get_time","arguments":{}}}\n</tool_call>', [['get_time', {}]]],
    [
      'tags and fences in a value',
      '<tool_call>{"name":"write_file","arguments":{"content":"</tool_call> <a href=\\"x\\"> ```\\n"}}</tool_call>',
      [['write_file', { content: '</tool_call> <a href="x"> ```\n' }]],
    ],
    [
      'arguments as a text',
      '<tool_call>{"name":"get_weather","arguments":"{\\"city\\":\\"SF\\"}"}</tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'the form of an API',
      '<tool_call>{"id":"1","type":"function","function":{"name":"get_weather","arguments":"{\\"days\\":1}"}}</tool_call>',
      [['get_weather', { days: 1 }]],
    ],
    [
      'the arguments before the name',
      '<tool_call>{"arguments":{"days":1},"name":"get_weather"}</tool_call>',
      [['get_weather', { days: 1 }]],
    ],
    [
      'a prefix and another case',
      '<tool_call>{"name":"functions.Get_Time:0","arguments":null}</tool_call>',
      [['get_time', {}]],
    ],
    [
      'a text for a tool that accepts one',
      '<tool_call>{"name":"freeform","arguments":"*** Begin"}</tool_call>',
      [['freeform', { input: '*** Begin' }]],
    ],
  ],
  refused: [
    '<tool_call> is a tag',
    '<tool_call>{"name":"unknown"',
    '<tool_call>{"name":"get_time","arguments":{}} and more',
    '<tool_call>{"city',
    '<tool_call>{"name":"get_time","arguments":[]}',
    '<tool_call>[{"name":"get_time"},{"name":"unknown"}]',
    '<tool_call><function=get_time>',
    '<tool_call>{"name":"get_time","description":"The time","parameters":{"type":"object","properties":{}}}',
    '<tool_call>{"name":"get_weather","city":"SF"}',
    '<tool_calls></tool_calls>',
    '<tool_call/> so',
  ],
  halves: [
    '<tool_call>',
    '<tool_call>{"name":"get_we',
    '<tool_call>{"name":"get_weather"',
    '<tool_call>{"name":"get_weather","arguments":{"city":"S',
    '<tool_calls><tool_call>{"name":"get_time"}</tool_call><tool_call>{"na',
  ],
  write(calls, style) {
    const line = gap(style);
    if (style === 2) return `<tool_call>${line}[${calls.map(json).join(', ')}]${line}</tool_call>`;
    const blocks = calls.map((call) => `<tool_call>${line}${json(call)}${line}</tool_call>`);
    return `<tool_calls>${line}${blocks.join(line)}${line}</tool_calls>`;
  },
  pieces: [
    '{"name":"get_time"',
    ',"arguments":{',
    '"days":1',
    '}',
    '}}',
    '</tool_call>',
    '\n',
    '[',
    ']',
    '"',
    '<tool_call>',
  ],
});
