import { dsmlTags } from './dsml-tags.ts';
import { between, gap, testDialect } from './test-dialect.ts';

const weather = [
  '<｜DSML｜tool_calls>',
  '<｜DSML｜invoke name="get_weather">',
  '<｜DSML｜parameter name="city" string="true">SF</｜DSML｜parameter>',
  '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>',
  '</｜DSML｜invoke>',
  '</｜DSML｜tool_calls>',
].join('\n');
const time = '<｜DSML｜invoke name="get_time"></｜DSML｜invoke>';

testDialect(dsmlTags, {
  calls: [
    ['one call', `${weather} Done`, [['get_weather', { city: 'SF', days: 3 }]], 'Done'],
    ['no line breaks', weather.replaceAll('\n', ''), [['get_weather', { city: 'SF', days: 3 }]]],
    [
      'the other outer tag',
      weather.replaceAll('tool_calls', 'function_calls'),
      [['get_weather', { city: 'SF', days: 3 }]],
    ],
    ...['|', '||', '‖', '｜｜'].map(
      (bar) => [`the bar ${bar}`, weather.replaceAll('｜', bar), [['get_weather', { city: 'SF', days: 3 }]]] as const,
    ),
    ['a call without outer tags', `${time}\nx`, [['get_time', {}]], 'x'],
    ['a call and a closing tag', `${time}</｜DSML｜tool_calls>x`, [['get_time', {}]], 'x'],
    [
      'several calls',
      `<｜DSML｜tool_calls>${time}${time}</｜DSML｜tool_calls>`,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    ['a section without its end', `<｜DSML｜tool_calls>\n${time}`, [['get_time', {}]]],
    [
      'a call without its end',
      '<｜DSML｜tool_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">SF</｜DSML｜parameter>',
      [['get_weather', { city: 'SF' }]],
    ],
    [
      'arguments in JSON',
      '<｜DSML｜invoke name="get_weather">\n{"city": "</｜DSML｜invoke>", "days": 1}\n</｜DSML｜invoke>',
      [['get_weather', { city: '</｜DSML｜invoke>', days: 1 }]],
    ],
    [
      'a value that quotes its own closing tags',
      '<｜DSML｜invoke name="write_file"><｜DSML｜parameter name="content" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\nb</｜DSML｜parameter></｜DSML｜invoke>',
      [['write_file', { content: 'a</｜DSML｜parameter>\n</｜DSML｜invoke>\nb' }]],
    ],
    [
      'a value that holds another call',
      `<｜DSML｜invoke name="write_file"><｜DSML｜parameter name="content" string="true">a ${weather} b</｜DSML｜parameter></｜DSML｜invoke>`,
      [['write_file', { content: `a ${weather} b` }]],
    ],
    [
      'markup in a value',
      '<｜DSML｜invoke name="write_file"><｜DSML｜parameter name="content" string="true"><b> & </｜DSML｜parameter> "x"</｜DSML｜parameter></｜DSML｜invoke>',
      [['write_file', { content: '<b> & </｜DSML｜parameter> "x"' }]],
    ],
    [
      'values whose kind only the tag tells',
      '<｜DSML｜invoke name="get_time"><｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter><｜DSML｜parameter name="b" string="false">1.50</｜DSML｜parameter></｜DSML｜invoke>',
      [['get_time', { a: '1', b: 1.5 }]],
    ],
    [
      'values whose tag is wrong',
      '<｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="days" string="true">2</｜DSML｜parameter><｜DSML｜parameter name="city" string="false">"SF"</｜DSML｜parameter></｜DSML｜invoke>',
      [['get_weather', { days: 2, city: 'SF' }]],
    ],
    [
      'values of unknown kinds',
      '<｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="days">2</｜DSML｜parameter><｜DSML｜parameter name="city">5</｜DSML｜parameter></｜DSML｜invoke>',
      [['get_weather', { days: 2, city: '5' }]],
    ],
  ],
  refused: [
    '<｜DSML｜tool_calls> is',
    '<｜DSML｜tool_calls></｜DSML｜tool_calls>',
    '<｜DSML｜invoke name="unknown">x',
    '<｜DSML｜invoke name="unknown"><｜DSML｜parameter name="a" string="true">',
    '<｜DSML｜invoke name="get_time">text',
    '<|DSML|tool_calls><｜',
  ],
  halves: [
    '<｜DSML｜tool_calls>',
    '<｜DSML｜invoke name="get_time">',
    '<｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">S',
    '<｜DSML｜invoke name="get_weather">{"city":"S',
  ],
  write(calls, style) {
    const line = gap(style);
    const invokes = calls.map(({ name, args }) => {
      const parameters = Object.entries(args).map(
        ([key, value]) =>
          `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${between(value, style)}</｜DSML｜parameter>${line}`,
      );
      return `<｜DSML｜invoke name="${name}">${line}${parameters.join('')}</｜DSML｜invoke>`;
    });
    return `<｜DSML｜tool_calls>${line}${invokes.join(line)}${line}</｜DSML｜tool_calls>`;
  },
  pieces: [
    '<｜DSML｜invoke name="get_weather">',
    '<｜DSML｜parameter name="city" string="true">',
    '</｜DSML｜parameter>',
    '</｜DSML｜invoke>',
    '</｜DSML｜tool_calls>',
    '{}',
    'x',
    '\n',
  ],
});
