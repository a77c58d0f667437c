import { sectionTokens } from './section-tokens.ts';
import { gap, testDialect } from './test-dialect.ts';

const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const section = (inside: string) => `<|tool_calls_section_begin|>${inside}<|tool_calls_section_end|>`;

testDialect(sectionTokens, {
  calls: [
    ['one call', section(call('functions.get_weather:0', '{"city":"Tokyo"}')), [['get_weather', { city: 'Tokyo' }]]],
    [
      'several calls, with space',
      section(`\n${call(' functions.get_weather:0 ', ' {"days": 1} ')}\n${call('functions.get_time:1', '{}')}\n`),
      [
        ['get_weather', { days: 1 }],
        ['get_time', {}],
      ],
    ],
    [
      'only the first of several sections',
      `${section(call('get_time:0', '{}'))} ${section(call('get_time:1', '{}'))}`,
      [['get_time', {}]],
      section(call('get_time:1', '{}')),
    ],
    [
      'a section in the singular',
      `<|tool_call_section_begin|>${call('functions.get_time:0', '{}')}<|tool_call_section_end|>`,
      [['get_time', {}]],
    ],
    ['a call without a section', `${call('functions.get_time:0', '{}')}. So`, [['get_time', {}]], '. So'],
    [
      'calls and the end of a section',
      `${call('functions.get_time:0', '{}')}${call('get_time', '')}<|tool_calls_section_end|>x`,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
      'x',
    ],
    [
      'a section without its end',
      `<|tool_calls_section_begin|>${call('functions.get_time:0', '{}')}`,
      [['get_time', {}]],
    ],
    [
      'a call without its end',
      '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"a <|tool_call_end|> \\"b\\""}',
      [['get_weather', { city: 'a <|tool_call_end|> "b"' }]],
    ],
    [
      'a call without its end in a section',
      '<|tool_calls_section_begin|><|tool_call_begin|>get_time:0<|tool_call_argument_begin|>{}<|tool_calls_section_end|>x',
      [['get_time', {}]],
      'x',
    ],
  ],
  refused: [
    '<|tool_calls_section_begin|> marks',
    '<|tool_calls_section_begin|><|tool_calls_section_end|>',
    '<|tool_call_begin|>functions.unknown:0<b',
    '<|tool_call_begin|>functions.unknown:0<|tool_call_argument_begin|>{',
    '<|tool_call_begin|>functions.get_time:0<|tool_sep',
    '<|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>[',
    section(`${call('functions.get_time:0', '{}')}${call('functions.unknown:0', '{}')}`),
  ],
  halves: [
    '<|tool_call_begin|>functions.get_time:0',
    '<|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>',
    '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"To',
    `<|tool_calls_section_begin|>${call('get_time:0', '{}')}<|tool_call_begin|>get_t`,
  ],
  write(calls, style) {
    const line = gap(style);
    const written = calls.map(({ name, args }, index) =>
      call(`${line}functions.${name}:${index}${line}`, `${line}${JSON.stringify(args)}`),
    );
    return section(line + written.join(line) + line);
  },
  pieces: [
    'functions.get_weather:0',
    'get_time',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '{"days":1',
    '{}',
    '}',
    '<|tool_call_end|>',
    '<|tool_calls_section_end|>',
    '\n',
  ],
});
