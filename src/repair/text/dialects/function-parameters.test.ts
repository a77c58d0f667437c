import { functionParameters } from './function-parameters.ts';
import { between, gap, testDialect } from './test-dialect.ts';

testDialect(functionParameters, {
  calls: [
    [
      'one call',
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nSan Francisco\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
      [['get_weather', { city: 'San Francisco', days: 3 }]],
    ],
    [
      'a call without line breaks',
      '<tool_call><function=get_weather><parameter=city>SF</parameter></function></tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'a call without the opening tag',
      '<function=get_weather><parameter=metric>True</parameter></function>\n</tool_call> ok',
      [['get_weather', { metric: true }]],
      'ok',
    ],
    ['a call without outer tags', '<function=get_time>\n</function>\nDone.', [['get_time', {}]], 'Done.'],
    [
      'one of several calls without outer tags',
      '<function=get_time></function><function=get_time></function>',
      [['get_time', {}]],
      '<function=get_time></function>',
    ],
    [
      'a call without the closing tag',
      '<tool_call><function=get_time></function>\n\nThat was it.',
      [['get_time', {}]],
      'That was it.',
    ],
    [
      'several calls between the outer tags',
      '<tool_call>\n<function=get_time>\n</function>\n<function=get_weather><parameter=days>1</parameter></function>\n</tool_call>',
      [
        ['get_time', {}],
        ['get_weather', { days: 1 }],
      ],
    ],
    [
      'names in attributes',
      `<tool_call><function name="get_weather"><parameter name="city">a > b</parameter><parameter name='days'>2</parameter></function></tool_call>`,
      [['get_weather', { city: 'a > b', days: 2 }]],
    ],
    [
      'only one line break at each end',
      '<function=write_file><parameter=content>\n\n  a\n\n</parameter></function>',
      [['write_file', { content: '\n  a\n' }]],
    ],
    ...[
      'a\n<tool_call><function=b><parameter=c>d</parameter></function></tool_call>\ne',
      'a <function=b><parameter=c>d</parameter><parameter=e>f</parameter></function> <parameter=g>h</parameter>',
      'a\n</parameter>\n</function>\nb',
      'a </parameter></function></tool_call> b </parameter></function></tool_call> c',
    ].map(
      (content) =>
        [
          `a value that quotes its own tags: ${content}`,
          `<tool_call><function=write_file><parameter=content>${content}</parameter></function></tool_call> ok`,
          [['write_file', { content }]],
          'ok',
        ] as const,
    ),
    [
      'markup in a value',
      '<function=write_file><parameter=content>if (a < b && c) </parameter> "x" <parameter> </function>\n</parameter>\n<parameter=path>é.ts</parameter></function>',
      [['write_file', { content: 'if (a < b && c) </parameter> "x" <parameter> </function>', path: 'é.ts' }]],
    ],
    [
      'a closing tag at the end of a value',
      '<function=write_file><parameter=content><parameter>x</parameter></parameter></function>',
      [['write_file', { content: '<parameter>x</parameter>' }]],
    ],
    [
      'values that are not what the schema says',
      '<function=get_weather><parameter=days>many</parameter><parameter=city>5</parameter></function>',
      [['get_weather', { days: 'many', city: '5' }]],
    ],
    [
      'lists and objects',
      '<function=plan><parameter=steps>["a", "b"]</parameter><parameter=options>{"x": null}</parameter></function>',
      [['plan', { steps: ['a', 'b'], options: { x: null } }]],
    ],
    [
      'lists and objects without their closing brackets',
      '<function=plan><parameter=steps>["a", "b"</parameter><parameter=options>{"x": [1</parameter></function>',
      [['plan', { steps: ['a', 'b'], options: { x: [1] } }]],
    ],
    [
      'half a text in a list',
      '<function=plan><parameter=steps>["a", "b</parameter></function>',
      [['plan', { steps: '["a", "b' }]],
    ],
    [
      'parameters that are not declared',
      '<function=get_time><parameter=a>1</parameter><parameter=b>x y</parameter><parameter=c>1e5</parameter><parameter=d>None</parameter></function>',
      [['get_time', { a: 1, b: 'x y', c: '1e5', d: null }]],
    ],
    [
      'an empty value',
      '<function=get_weather><parameter=city></parameter></function>',
      [['get_weather', { city: '' }]],
    ],
    [
      'a text that ends after a value',
      '<tool_call><function=get_weather><parameter=city>SF</parameter>\n',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'a call that its outer tag ends',
      '<tool_call><function=get_weather><parameter=city>SF</parameter></tool_call>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'JSON between the outer tags',
      '<tool_call><function=get_weather>{"days": 1}</function></tool_call>',
      [['get_weather', { days: 1 }]],
    ],
    ['a prefix', '<function=functions.get_time></function>', [['get_time', {}]]],
  ],
  refused: [
    '<function=unknown>x',
    '<function=unknown><parameter=a>',
    '<function=get_time is how',
    '<tool_call>{',
    '<tool_call>get_time',
    '<function=get_time>{',
    '<function=get_time> calls it',
    '<function name="unknown">x',
    '<function name=> x',
    '<tool_call></tool_call>',
    '<function=get_weather><parameter=city<',
  ],
  halves: [
    '<function=get_weather><parameter=city>a</parameter></function><parameter=b>c</parameter></function>',
    "<function=get_weather><parameter=city>\\nprintf '%s' '</parameter>",
    '<function=get_weather><parameter=city>a <parameter=b>c</parameter></function>',
    '<function=get_weather><parameter=city>a</parameter><parameter=city>b</parameter></function>',
    '<function=get_time>',
    '<tool_call><function=get_ti',
    '<function=get_weather><parameter=city>SF',
    '<function=get_weather><parameter=city>SF</param',
    '<function=get_weather><parameter=city>SF</parameter><parameter=da',
    '<function=get_weather><parameter=city>SF</parameter> and prose',
  ],
  write(calls, style) {
    const line = gap(style);
    const open = style === 3 ? (name: string) => `${name.replace('=', ' name="')}">` : (name: string) => `${name}>`;
    const functions = calls.map(({ name, args }) => {
      const parameters = Object.entries(args).map(
        ([key, value]) => `${open(`<parameter=${key}`)}${between(value, style)}</parameter>${line}`,
      );
      return `${open(`<function=${name}`)}${line}${parameters.join('')}</function>`;
    });
    return `<tool_call>${line}${functions.join(line)}${line}</tool_call>`;
  },
  ambiguous: /<\/parameter>\s*($|<)|<parameter[= ]/,
  pieces: [
    '<function=get_weather>',
    '<function=get_time>',
    '<parameter=city>',
    '</parameter>',
    '</function>',
    '</tool_call>',
    '\n',
    'x',
    '{}',
    '<parameter name="days">',
  ],
});
