import { functionJson } from './function-json.ts';
import { gap, testDialect } from './test-dialect.ts';

testDialect(functionJson, {
  calls: [
    ['one call', '<function=get_weather>{"city": "SF"}</function>', [['get_weather', { city: 'SF' }]]],
    ['one call and more', '<function=get_time>\n{}\n</function>\nDone', [['get_time', {}]], 'Done'],
    [
      'a broken opening tag',
      '<function=get_weather={"city": "sample.txt"}</function>',
      [['get_weather', { city: 'sample.txt' }]],
    ],
    ['an opening tag without an end', '<function=get_weather{"days":1}></function>', [['get_weather', { days: 1 }]]],
    [
      'a broken closing tag',
      '<function=get_weather>{"city":"<x> & y"}<function>',
      [['get_weather', { city: '<x> & y' }]],
    ],
    ['round brackets', '<function=get_weather({"days":1})</function>', [['get_weather', { days: 1 }]]],
    ['no closing tag', '<function=get_time>{}', [['get_time', {}]]],
  ],
  refused: [
    '<function=unknown>x',
    '<function=unknown>{',
    '<function=get_weather><parameter',
    '<function=get_time></function>',
    '<function=get_time> is',
    '<function=get_time>{} x',
    '<function=get_time>[',
  ],
  halves: ['<function=get_time>', '<function=get_weather>{"city":"S', '<function=get_ti'],
  write([call], style) {
    const line = gap(style);
    const end = style === 1 ? '=' : '>';
    return `<function=${call?.name}${end}${line}${JSON.stringify(call?.args)}${line}</function>`;
  },
  most: 1,
  pieces: ['get_time', 'get_weather', '>', '=', '{"days":1', '}', '{}', '</function>', '<function>', '\n', 'x'],
});
