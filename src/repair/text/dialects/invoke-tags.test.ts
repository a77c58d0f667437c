import { invokeTags } from './invoke-tags.ts';
import { NAMESPACED_TAG } from './parts/product-tokens.ts';
import { between, gap, testDialect } from './test-dialect.ts';

const block = (inside: string) => `<${NAMESPACED_TAG}${inside}</${NAMESPACED_TAG}`;
const weather =
  '<invoke name="get_weather">\n<parameter name="city">SF</parameter>\n<parameter name="days">2</parameter>\n</invoke>';
const time = '<invoke name="get_time"></invoke>';

testDialect(invokeTags, {
  calls: [
    ['one call', block(`\n${weather}\n`), [['get_weather', { city: 'SF', days: 2 }]]],
    [
      'no line breaks',
      `${block(weather.replaceAll('\n', ''))} Done`,
      [['get_weather', { city: 'SF', days: 2 }]],
      'Done',
    ],
    [
      'several calls',
      block(`${weather}\n${time}`),
      [
        ['get_weather', { city: 'SF', days: 2 }],
        ['get_time', {}],
      ],
    ],
    ...['function_calls', 'tool_calls', 'tool_call'].map(
      (name) => [`the outer tag ${name}`, `<${name}>${time}</${name}>`, [['get_time', {}]]] as const,
    ),
    ['a call without outer tags', `${time}\nx`, [['get_time', {}]], 'x'],
    ['one of two calls without outer tags', `${time}${time}`, [['get_time', {}]], time],
    ['a call and a closing tag', `${time}\n</${NAMESPACED_TAG}x`, [['get_time', {}]], 'x'],
    ['a block without its end', `<${NAMESPACED_TAG}${time}`, [['get_time', {}]]],
    [
      'a call without its end',
      `<${NAMESPACED_TAG}<invoke name="get_weather"><parameter name="city">SF</parameter>`,
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'a call that its block ends',
      block('<invoke name="get_weather"><parameter name="city">SF</parameter>'),
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'the end of the block in a value',
      block(`<invoke name="get_weather"><parameter name="city">Montréal </${NAMESPACED_TAG} café</parameter></invoke>`),
      [['get_weather', { city: `Montréal </${NAMESPACED_TAG} café` }]],
    ],
    [
      'a value that holds another call',
      block(`<invoke name="write_file"><parameter name="content">a ${weather} b</parameter></invoke>`),
      [['write_file', { content: `a ${weather} b` }]],
    ],
    [
      'a value that quotes its own closing tags',
      block('<invoke name="write_file"><parameter name="content">a </parameter></invoke> b</parameter></invoke>'),
      [['write_file', { content: 'a </parameter></invoke> b' }]],
    ],
    [
      'tags of its own in a value',
      '<invoke name="write_file"><parameter name="content"><parameter>\n <a>&amp;</a>\n</parameter></parameter>\n<parameter name="path">a.xml</parameter></invoke>',
      [['write_file', { content: '<parameter>\n <a>&amp;</a>\n</parameter>', path: 'a.xml' }]],
    ],
    [
      'lost brackets in a block',
      `<${NAMESPACED_TAG}\ninvoke name="get_weather">\nparameter name="city">Parisparameter>\nparameter name="days">1</parameter>\ninvoke>\n</${NAMESPACED_TAG}`,
      [['get_weather', { city: 'Paris', days: 1 }]],
    ],
    [
      'names in other quotes',
      `<invoke name='get_weather' ><parameter name = "city" >x</parameter></invoke>`,
      [['get_weather', { city: 'x' }]],
    ],
    ['arguments in JSON', '<invoke name="get_weather">{"days":1}</invoke>', [['get_weather', { days: 1 }]]],
    [
      'names with hyphens',
      '<invoke name="list-files"><parameter name="-A">3</parameter></invoke>',
      [['list-files', { '-A': 3 }]],
    ],
  ],
  refused: [
    '<invoke name="unknown">x',
    '<invoke name="unknown"><parameter name="a">',
    '<invoke name="get_time"> is',
    '<function_calls> are',
    '<tool_call>{',
    '<tool_calls></tool_calls>',
    `<${NAMESPACED_TAG}<parameter`,
  ],
  halves: [
    `<invoke name="get_weather"><parameter name="city">printf '</parameter>`,
    `<${NAMESPACED_TAG}`,
    '<invoke name="get_ti',
    '<invoke name="get_time">',
    '<invoke name="get_weather"><parameter name="city">S',
    '<invoke name="get_weather"><parameter name="city">SF</parameter> prose',
  ],
  write(calls, style) {
    const line = gap(style);
    const invokes = calls.map(({ name, args }) => {
      const parameters = Object.entries(args).map(
        ([key, value]) => `<parameter name="${key}">${between(value, style)}</parameter>${line}`,
      );
      return `<invoke name="${name}">${line}${parameters.join('')}</invoke>`;
    });
    return block(line + invokes.join(line) + line);
  },
  ambiguous: /<\/parameter>\s*($|<)|<parameter /,
  pieces: [
    '<invoke name="get_weather">',
    'invoke name="get_time">',
    '<parameter name="city">',
    'parameter name="days">',
    '</parameter>',
    'parameter>',
    '</invoke>',
    'invoke>',
    '</tool_calls>',
    '{}',
    'x',
    '\n',
  ],
});
