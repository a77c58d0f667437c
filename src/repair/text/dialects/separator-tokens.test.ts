import { separatorTokens } from './separator-tokens.ts';
import { gap, testDialect } from './test-dialect.ts';

const plain = (name: string, args: string) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;
const fenced = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`;
const section = (inside: string) => `<｜tool▁calls▁begin｜>${inside}<｜tool▁calls▁end｜>`;
const ascii = (text: string) => text.replaceAll('｜', '|').replaceAll('▁', '_');

testDialect(separatorTokens, {
  calls: [
    ['a plain call', section(plain('get_weather', '{"city":"Paris"}')), [['get_weather', { city: 'Paris' }]]],
    ['a fenced call', section(fenced('get_weather', '{"city":"Paris"}')), [['get_weather', { city: 'Paris' }]]],
    [
      'several calls',
      `${section(`${fenced('get_time', '{}')}\n${fenced('get_weather', '{"days": 2}')}`)}.`,
      [
        ['get_time', {}],
        ['get_weather', { days: 2 }],
      ],
      '.',
    ],
    [
      'fences in the arguments',
      section(fenced('write_file', '{"content":"```js\\n<b>\\n```"}')),
      [['write_file', { content: '```js\n<b>\n```' }]],
    ],
    ['a plain call in a fence', section(plain('get_time', '```json\n{}\n```')), [['get_time', {}]]],
    ['no arguments', section(plain('get_time', '')), [['get_time', {}]]],
    ['a call without a section', plain('get_time', '\n{}\n'), [['get_time', {}]]],
    ['a section without its end', `<｜tool▁calls▁begin｜>${plain('get_time', '{}')}`, [['get_time', {}]]],
    [
      'a call without its end',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"days":1}',
      [['get_weather', { days: 1 }]],
    ],
    ['tokens in ASCII', ascii(section(fenced('get_time', '{}'))), [['get_time', {}]]],
    ['bars in ASCII', section(plain('get_time', '{}')).replaceAll('｜', '|'), [['get_time', {}]]],
    ['joints in ASCII', section(plain('get_time', '{}')).replaceAll('▁', '_'), [['get_time', {}]]],
  ],
  refused: [
    '<｜tool▁calls▁begin｜> begins',
    section(''),
    '<｜tool▁call▁begin｜>unknown<｜tool▁sep｜>{',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>unknown\nx',
    '<｜tool▁call▁begin｜>get_time\n',
    '<｜tool▁call▁begin｜>get_time<｜tool▁sep｜>[',
  ],
  halves: [
    '<｜tool▁call▁begin｜>get_time<｜tool▁sep｜>',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n```json\n',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city":"P',
    `<｜tool▁calls▁begin｜>${plain('get_time', '{}')}<｜tool▁call▁begin｜>get`,
  ],
  write(calls, style) {
    const line = gap(style);
    const form = style < 2 ? plain : fenced;
    const text = section(line + calls.map(({ name, args }) => form(name, JSON.stringify(args))).join(line) + line);
    // Only where no argument holds such characters.
    return style === 1 && !/[｜▁]/.test(JSON.stringify(calls)) ? ascii(text) : text;
  },
  pieces: [
    'function',
    'get_weather',
    'get_time',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁sep｜>',
    '```json\n',
    '```',
    '{}',
    '{"days":1',
    '}',
    '\n',
    '<｜tool▁call▁end｜>',
  ],
});
