import { invokeWithoutBrackets } from './invoke-without-brackets.ts';
import { NAMESPACED_TAG } from './parts/product-tokens.ts';
import { between, gap, testDialect } from './test-dialect.ts';

testDialect(invokeWithoutBrackets, {
  calls: [
    [
      'one call',
      'invoke name="get_weather">\nparameter name="city">Parisparameter>\ninvoke>',
      [['get_weather', { city: 'Paris' }]],
    ],
    [
      'some brackets',
      'invoke name="get_weather">\nparameter name="city">Paris</parameter>\n<parameter name="days">2</parameter>\n/invoke>',
      [['get_weather', { city: 'Paris', days: 2 }]],
    ],
    [
      'a block',
      `${NAMESPACED_TAG}\ninvoke name="get_time">\ninvoke>\ninvoke name="get_time">invoke>\n${NAMESPACED_TAG}`,
      [
        ['get_time', {}],
        ['get_time', {}],
      ],
    ],
    ['a call and what follows', 'invoke name="get_time">invoke>\nx', [['get_time', {}]], 'x'],
    [
      'a path in a value',
      'invoke name="write_file">parameter name="path">src/parameter>parameter name="content">a parameter> bparameter>invoke>',
      [['write_file', { path: 'src/', content: 'a parameter> b' }]],
    ],
  ],
  refused: ['invoke name="unknown">x', 'invoke name=<', 'invoke name="get_time"> it', `${NAMESPACED_TAG} x`],
  halves: ['invoke name="get_time">', 'invoke name="get_weather">parameter name="city">Par'],
  write([call], style) {
    const line = gap(style);
    const parameters = Object.entries(call?.args ?? {}).map(
      ([key, value]) => `parameter name="${key}">${between(value, style)}parameter>${line}`,
    );
    return `invoke name="${call?.name}">${line}${parameters.join('')}invoke>`;
  },
  most: 1,
  ambiguous: /parameter|<\/?$/,
  pieces: [
    'invoke name="get_time">',
    'parameter name="days">',
    'parameter>',
    'invoke>',
    NAMESPACED_TAG,
    '</',
    'x',
    '\n',
  ],
});
