import { describe, expect, test } from 'vitest';
import { scanEverySplit } from './test-scan.ts';

const CALL = '{"name": "get_weather", "arguments": {"city": "SF"}}';
const JSON_BLOCK = `<tool_call>\n${CALL}\n</tool_call>`;
const JSON_LINE = `<tool_call>${CALL}</tool_call>`;
const FUNCTION_LINE = '<function=get_weather><parameter=city>SF</parameter></function>';
const FUNCTION_BLOCK =
  '<tool_call>\n<function=get_weather>\n<parameter=city>\nSF\n</parameter>\n</function>\n</tool_call>';
const KEY_LINE = '<tool_call>get_weather<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call>';
const SECTION =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"SF"}<|tool_call_end|><|tool_calls_section_end|>';
const INVOKE = '<invoke name="get_weather"><parameter name="city">SF</parameter></invoke>';
const BRACKETS = '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "SF"}}]';
const DSML =
  '<｜DSML｜tool_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">SF</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>';
const SEPARATORS =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"SF"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>';
const CHANNEL = '<|channel|>commentary to=functions.get_weather<|message|>{"city":"SF"}<|call|>';

const BLOCKS = [
  JSON_BLOCK,
  FUNCTION_LINE,
  FUNCTION_BLOCK,
  KEY_LINE,
  SECTION,
  INVOKE,
  BRACKETS,
  DSML,
  SEPARATORS,
  CHANNEL,
];

const IN_CODE = BLOCKS.flatMap((block) => [
  `The model writes:\n\n\`\`\`\n${block}\n\`\`\`\n\nand the server reads it.`,
  `Here is a sample.\n~~~xml\nbefore\n${block}\n~~~\n`,
]);

const IN_LINE = [JSON_LINE, FUNCTION_LINE, KEY_LINE, SECTION, INVOKE, BRACKETS, DSML, SEPARATORS, CHANNEL].flatMap(
  (block) => [`A call looks like \`${block}\` there.`, `Write \`\` ${block} \`\` for it.`],
);

const IN_SENTENCES = [JSON_LINE, FUNCTION_LINE, KEY_LINE, INVOKE, SECTION, BRACKETS, DSML, SEPARATORS, CHANNEL].flatMap(
  (block) => [
    `The model writes ${block} and waits.`,
    `For instance, ${block}, which the server then parses.`,
    `The format ("${block}") is simple.`,
    `He answered “${block}” to that.`,
    `> ${block}`,
    `| form | example |\n|---|---|\n| tags | ${block} |\n`,
  ],
);

const IN_MARKUP = BLOCKS.flatMap((block) => [
  `Look:\n\n    ${block.replaceAll('\n', '\n    ')}\n\nwas code.`,
  `Look:\n\n\t${block.replaceAll('\n', '\n\t')}\n`,
  `<!-- ${block} -->\nok`,
  `Well.\n<!--\n${block}\n-->\n`,
  `<pre>\n${block}\n</pre>\nok`,
  `<pre class="x"><code>\n${block}\n</code></pre>\n`,
  `It is:\n<code>\n${block}\n</code>\n`,
]);

const IN_ITEMS = [JSON_LINE, FUNCTION_LINE, KEY_LINE, SECTION, INVOKE, BRACKETS, DSML, SEPARATORS].flatMap((block) => [
  `Formats:\n- ${block}\n- other`,
  `1. ${block}\n2. other`,
  `* The form ${block}\n`,
  `It is <code>${block}</code> there.`,
]);

const PROSE = [
  'The <tool_call> tag opens a block and </tool_call> closes it.',
  'Put the JSON between <tool_call> and </tool_call>.',
  'Some servers leave `<tool_call>` in the content.',
  'Use <function=name> with <parameter=key> inside of it.',
  'In XML you would write <function name="get_weather"/> instead, with attributes.',
  'The section starts with <|tool_calls_section_begin|> and ends with <|tool_calls_section_end|>.',
  'The token <|python_tag|> tells that code follows.',
  'Older templates print [TOOL_CALLS] and then a list; newer ones print a name and [ARGS].',
  'The array a[TOOL_CALLS] holds {"name": "x"} objects.',
  'It begins with <｜tool▁calls▁begin｜> in the newer template.',
  'A DSML block, <｜DSML｜tool_calls>, wraps invoke tags.',
  'Every tag is preceded by the token ]<]x[>[ there.',
  'The header is <|channel|> followed by a name and <|message|>.',
  'Each message starts with <|start|>assistant and a channel.',
  '"<|channel|>final<|message|>" is what precedes the answer.',
  'Reasoning stands between <think> and </think> in such answers.',
  'The tag "</think>" ends it.',
  'After the </think> tag comes the answer.',
  'Close it with </think>, then answer.',
  'analysis of the situation: assistantfinal is not a word.',
  'analysisResults holds what the last run gave.',
  'invoke name="get_weather" is what the log said.',
  'if (a < b && c > d) { return [TOOL]; }',
  'x<tool_callback>() compiles, <tool_call_id> is a field, and <tools-menu> an element.',
  'I would call get_weather({"city": "SF"}) next, if you agree.',
  'Call get_weather with {"city": "SF"}; it answers in JSON.',
  'An undeclared tool: <tool_call>{"name": "nobody", "arguments": {}}</tool_call>',
  '<tool_call>{"name": "nobody", "arguments": {"city": "SF"}}</tool_call>',
  '<function=nobody><parameter=city>SF</parameter></function>',
  '<tool_call>nobody<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call>',
  SECTION.replace('get_weather', 'nobody'),
  INVOKE.replace('get_weather', 'nobody'),
  BRACKETS.replace('get_weather', 'nobody'),
  DSML.replace('get_weather', 'nobody'),
  SEPARATORS.replace('get_weather', 'nobody'),
  CHANNEL.replace('get_weather', 'nobody'),
];

const JSON_ANSWERS = [
  '{"answer": 42, "call": "get_weather"}',
  '{"name": "Ada", "arguments": ["for", "against"]}',
  '{"name": "get_weather"}',
  '[{"name": "get_weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}]',
  `{"example": ${CALL}}`,
  `Here it is: ${CALL}`,
  `${CALL}\nThat is what I would send.`,
  `\`\`\`json\n${CALL}\n\`\`\`\nSend this to the server.`,
  `First:\n\`\`\`json\n${CALL}\n\`\`\``,
  `{"text": "<tool_call>{\\"name\\": \\"get_weather\\", \\"arguments\\": {}}</tool_call>"}`,
  `["<tool_call>", "</tool_call>", "${JSON_LINE}"]`,
  '```json\n{"name": "package", "version": "1.0.0"}\n```',
];

const HALVES = [
  '<tool_call>',
  'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "S',
  '<tool_call>{"name": "get_wea',
  '<function=get_weather><parameter=city>SF',
  '<function=get_weather',
  '<tool_call>get_weather<arg_key>city</arg_key><arg_value>S',
  SECTION.slice(0, 100),
  SECTION.slice(0, 40),
  DSML.slice(0, 60),
  SEPARATORS.slice(0, 60),
  CHANNEL.slice(0, 66),
  '[TOOL_CALLS]get_weather[ARGS]{"city": "S',
  '{"name": "get_weather", "arguments": {"city": "S',
  '```json\n{"name": "get_weather", "argu',
];

const LOGS = [
  `2026-01-02 10:11:12 INFO chunk: delta="<tool_call>{\\"name\\"" finish=null`,
  `ERROR parse.ts:41 unexpected token in '${JSON_LINE}'`,
  `data: {"choices":[{"delta":{"content":"<tool_call>"}}]}\n\ndata: {"choices":[{"delta":{"content":"${'{'}"}}]}\n`,
  `<html><body><function=get_weather>go</function></body></html>`,
  `<ul>\n<li><b>tool</b></li>\n<li><invoke>x</invoke></li>\n</ul>`,
  `diff --git a/x b/x\n-const OPEN = '<tool_call>';\n+const OPEN = "<tool_calls>";\n`,
  `| token | meaning |\n|---|---|\n| <|channel|> | begins a header |\n| <|end|> | ends a message |\n`,
  `1. \`\`\`xml\n   ${JSON_LINE}\n   \`\`\`\n2. Next step.\n`,
  `- A list:\n\n      \`\`\`\n      ${JSON_LINE}\n      \`\`\`\n`,
  `\`\`\`\`md\n\`\`\`\n${JSON_LINE}\n\`\`\`\n${JSON_LINE}\n\`\`\`\`\n`,
  `An unclosed fence:\n\`\`\`\n${JSON_LINE}\n`,
  `<|end|> and <|return|> and <|call|> are tokens, too.`,
];

describe('text about calls stays unchanged', () => {
  const texts = [
    ...IN_CODE,
    ...IN_LINE,
    ...IN_SENTENCES,
    ...IN_MARKUP,
    ...IN_ITEMS,
    ...PROSE,
    ...JSON_ANSWERS,
    ...HALVES,
    ...LOGS,
  ];

  test('there are enough of them', () => {
    expect(new Set(texts).size).toBeGreaterThan(60);
  });

  test.each(texts)('%j', (text) => {
    expect(scanEverySplit(text)).toMatchObject({ text, reasoning: '', calls: [], repairs: [] });
    const reasoning = scanEverySplit(text, { channel: 'reasoning' });
    expect(reasoning).toMatchObject({ text: '', reasoning: text, calls: [] });
  });
});

describe('calls in the same words are calls', () => {
  test.each(BLOCKS)('%j', (block) => {
    for (const [before, after] of SURROUNDINGS) {
      const { text, calls } = scanEverySplit(before + block + after);
      expect(calls).toMatchObject([{ name: 'get_weather', arguments: { city: 'SF' }, raw: block }]);
      expect(text).toBe(before.trim() === '' ? '' : before);
    }
  });
});

const SURROUNDINGS = [
  ['', ''],
  ['\n', '\n'],
  ['Let me look at the weather.\n\n', ''],
  ['I use `get_weather` for that:\n', '\n'],
  ['Let me see.', ''],
  ['Now I look:\n\n', '\n\n'],
  ['```sh\nls\n```\n', ''],
  ["It's the user's wish.\n", '<|im_end|>'],
  ['call\n', '\n<tool_response>\n{"celsius": 20}\n</tool_response>\n'],
] as const;
