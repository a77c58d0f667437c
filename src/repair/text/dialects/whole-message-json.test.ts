import { testDialect, type Written } from './test-dialect.ts';
import { wholeMessageJson } from './whole-message-json.ts';

const json = ({ name, args }: Written) => JSON.stringify({ name, arguments: args });
const time = '{"name": "get_time", "arguments": {}}';

testDialect(wholeMessageJson, {
  calls: [
    ['an object', '{"name": "get_weather", "arguments": {"city": "x"}}\n', [['get_weather', { city: 'x' }]]],
    [
      'a list',
      `[${time},\n${time}]`,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    [
      'objects',
      `${time}\n${time}`,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    ['a fence', `\`\`\`json\n${time}\n\`\`\``, [['get_time', {}]]],
    ['a fence without a language', `\`\`\`\n${time}\n\`\`\`\n`, [['get_time', {}]]],
    ['a fence in one line', `\`\`\`json ${time}\`\`\``, [['get_time', {}]]],
    ['a fence without its end', `\`\`\`tool_call\n${time}`, [['get_time', {}]]],
    [
      'several fences',
      `\`\`\`tool_code\n${time}\n\`\`\`\n\n\`\`\`json\n[${time}]\n\`\`\``,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    [
      'a fence in a fence',
      '```json\n{"name":"write_file","arguments":{"content":"```\\n<b>&\\n```"}}\n```',
      [['write_file', { content: '```\n<b>&\n```' }]],
    ],
    ['tools tags', `<tools>\n${time}\n</tools>`, [['get_time', {}]]],
    ['the form of an API', '{"function":{"name":"get_time","arguments":"{}"}}', [['get_time', {}]]],
  ],
  refused: [
    '{"name":"Bob"',
    '{"answer',
    '[1',
    '[]',
    '["a"',
    '```ts\n',
    '```json\n{"ab',
    `${time} is it`,
    `\`\`\`json\n${time}\n\`\`\`\nis it`,
    `<tools>${time} x`,
    '<tools>\n{"type": "function", "function": {"name": "get_time", "description": "d", "parameters": {"type": "object", "properties": {}}}}\n</tools>',
  ],
  halves: ['```', '```json\n', '{"name":"get_time"}', '{"name":"get_weather","arguments":{"city":"S', '<tools>'],
  write(calls, style) {
    if (style === 0) return `[${calls.map(json).join(', ')}]`;
    if (style === 1) return calls.map((call) => `\`\`\`json\n${json(call)}\n\`\`\``).join('\n');
    return style === 2 ? `<tools>${calls.map(json).join('\n')}</tools>` : calls.map(json).join('\n');
  },
  pieces: ['json\n', '"name":"get_time"', ',"arguments":', '{', '}', '[', ']', '```', '</tools>', '\n', 'x'],
});
