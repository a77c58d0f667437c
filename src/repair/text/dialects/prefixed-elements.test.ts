import { expect, test } from 'vitest';
import { TAG_PREFIX } from './parts/product-tokens.ts';
import { prefixedElements } from './prefixed-elements.ts';
import { between, gap, read, TOOLS, testDialect } from './test-dialect.ts';

const tag = (name: string) => `${TAG_PREFIX}<${name}>`;
const element = (name: string, inside: string) => `${tag(name)}${inside}${tag(`/${name}`)}`;
const invoke = (name: string, inside: string) => `${tag(`invoke name="${name}"`)}${inside}${tag('/invoke')}`;
const block = (inside: string) => element('tool_call', inside);

test('elements that are nested too deep are refused', () => {
  const deep = (depth: number) => invoke('plan', tag('options').repeat(depth) + tag('/options').repeat(depth));
  expect(read(prefixedElements, deep(200), [], TOOLS).calls).toHaveLength(1);
  expect(read(prefixedElements, deep(300), [], TOOLS).state).toBe('refused');
});

testDialect(prefixedElements, {
  calls: [
    [
      'one call',
      block(`\n${invoke('get_weather', `\n${element('city', 'Paris')}\n${element('days', '3')}\n`)}\n`),
      [['get_weather', { city: 'Paris', days: 3 }]],
    ],
    [
      'several calls without line breaks',
      `${block(invoke('get_time', '') + invoke('get_weather', element('metric', 'true')))} Done`,
      [
        ['get_time', {}],
        ['get_weather', { metric: true }],
      ],
      'Done',
    ],
    ['a call without a block', `${invoke('get_time', '')}${tag('/tool_call')}x`, [['get_time', {}]], 'x'],
    [
      'a list',
      block(invoke('plan', element('steps', element('item', 'a') + element('item', 'b')))),
      [['plan', { steps: ['a', 'b'] }]],
    ],
    [
      'objects in lists in objects',
      invoke(
        'plan',
        element('options', `\n${element('a', element('item', element('b', '1')) + element('item', ''))}\n`),
      ),
      [['plan', { options: { a: [{ b: 1 }, ''] } }]],
    ],
    [
      'an empty list and an empty object',
      invoke('plan', element('steps', '') + element('options', '')),
      [['plan', { steps: [], options: {} }]],
    ],
    [
      'elements of one name',
      invoke('plan', element('steps', 'a') + element('steps', 'b')),
      [['plan', { steps: ['a', 'b'] }]],
    ],
    ['a list in JSON', invoke('plan', element('steps', '["a"]')), [['plan', { steps: ['a'] }]]],
    [
      'names with hyphens',
      invoke('list-files', element('-A', '3') + element('max-depth', '1')),
      [['list-files', { '-A': 3, 'max-depth': 1 }]],
    ],
    [
      'markup in a value',
      invoke('write_file', element('content', '<b>a</b> & </content> "x"') + element('path', 'p')),
      [['write_file', { content: '<b>a</b> & </content> "x"', path: 'p' }]],
    ],
    [
      'a value that holds another call',
      invoke('write_file', element('content', `a ${invoke('write_file', element('content', 'b'))} c`)),
      [['write_file', { content: `a ${invoke('write_file', element('content', 'b'))} c` }]],
    ],
    [
      'closing tags without their token',
      `${tag('tool_call')}\n<invoke name="get_weather">${tag('city')}Bonn</city>${tag('days')}6</days>${tag('/invoke')}</tool_call>`,
      [['get_weather', { city: 'Bonn', days: 6 }]],
    ],
    [
      'a text that ends after a value',
      `${tag('tool_call')}${tag('invoke name="get_weather"')}${element('city', 'Bonn')}`,
      [['get_weather', { city: 'Bonn' }]],
    ],
    [
      'a call that its block ends',
      `${tag('tool_call')}${tag('invoke name="get_weather"')}${element('city', 'Bonn')}${tag('/tool_call')}`,
      [['get_weather', { city: 'Bonn' }]],
    ],
  ],
  refused: [
    `${tag('tool_call')} is`,
    `${tag('tool_call')}${tag('/tool_call')}`,
    `${tag('invoke name="unknown"')}x`,
    `${tag('invoke name="unknown"')}${tag('city')}`,
    `${tag('invoke name="get_time"')}text`,
    `${tag('invoke name="get_time"')}${tag('/other')}`,
  ],
  halves: [
    tag('tool_call'),
    tag('invoke name="get_time"'),
    `${tag('invoke name="get_weather"')}${tag('city')}Bo`,
    `${tag('invoke name="plan"')}${tag('steps')}${element('item', 'a')}`,
  ],
  write(calls, style) {
    const line = gap(style);
    const value = (it: unknown): string => {
      if (Array.isArray(it)) return it.map((item) => line + element('item', value(item))).join('') + line;
      if (typeof it !== 'object' || it === null) return between(it, style);
      return (
        Object.entries(it)
          .map(([key, member]) => line + element(key, value(member)))
          .join('') + line
      );
    };
    return block(line + calls.map(({ name, args }) => invoke(name, line + value(args) + line)).join(line) + line);
  },
  ambiguous: /^\s*$|^\s*\]/,
  pieces: [
    TAG_PREFIX,
    '<',
    '</',
    'city>',
    'steps>',
    'item>',
    tag('invoke name="plan"'),
    tag('/invoke'),
    tag('/tool_call'),
    tag('steps'),
    tag('/steps'),
    'x',
    '\n',
  ],
});
