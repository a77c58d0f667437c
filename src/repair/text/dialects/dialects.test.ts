import { expect, test } from 'vitest';
import { DIALECTS } from './dialects.ts';
import { functionParameters } from './function-parameters.ts';
import { NAMESPACED_TAG, TAG_PREFIX } from './parts/product-tokens.ts';
import { read, TOOLS } from './test-dialect.ts';

const CALL = '{"name":"get_weather","arguments":{"city":"SF"}}';

test.each<[text: string, id: string]>([
  [`<tool_call>${CALL}</tool_call>`, 'D1'],
  [`<tool_calls><tool_call>${CALL}</tool_call></tool_calls>`, 'D1'],
  ['<tool_call><function=get_weather><parameter=city>SF</parameter></function></tool_call>', 'D2'],
  ['<function=get_weather><parameter=city>SF</parameter></function>', 'D2'],
  ['<function name="get_weather"><parameter name="city">SF</parameter></function>', 'D2'],
  ['<tool_call>get_weather<arg_key>city</arg_key><arg_value>SF</arg_value></tool_call>', 'D3'],
  ['<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"SF"}<|tool_call_end|>', 'D4'],
  ['<|tool_call_begin|>get_weather<|tool_sep|>{"city":"SF"}<|tool_call_end|>', 'D5'],
  ['<|DSML|invoke name="get_weather"><|DSML|parameter name="city">SF</|DSML|parameter></|DSML|invoke>', 'D6'],
  ['<tool_calls><invoke name="get_weather"><parameter name="city">SF</parameter></invoke></tool_calls>', 'D7'],
  ['<tool_call><invoke name="get_weather"><parameter name="city">SF</parameter></invoke></tool_call>', 'D7'],
  [`<${NAMESPACED_TAG}invoke name="get_weather">parameter name="city">SFparameter>invoke>`, 'D7'],
  ['invoke name="get_weather">parameter name="city">SFparameter>invoke>', 'D7'],
  [`${TAG_PREFIX}<invoke name="get_weather">${TAG_PREFIX}<city>SF</city>${TAG_PREFIX}</invoke>`, 'D8'],
  ['<function=get_weather>{"city":"SF"}</function>', 'D9'],
  [`<|python_tag|>${CALL}`, 'D9'],
  ['{"name":"get_weather","parameters":{"city":"SF"}}', 'D9'],
  [`[TOOL_CALLS][${CALL}]`, 'D10'],
  [CALL, 'D12'],
  [`[${CALL}]`, 'D12'],
  [`\`\`\`json\n${CALL}\n\`\`\``, 'D12'],
])('%s is %s to the first dialect that reads it, and to no other', (text, id) => {
  const readers = DIALECTS.filter(
    (dialect) =>
      dialect.markers.some((marker) => text.startsWith(marker)) && read(dialect, text, [], TOOLS).calls !== undefined,
  );
  // One form is part of another.
  const others = readers.filter((dialect) => dialect.id !== 'D12');
  expect((others.length > 0 ? others : readers).map((dialect) => dialect.id)).toEqual([id]);
  expect(readers[0]?.id).toBe(id);
});

test('reading a long value full of closing tags takes linear time', () => {
  const content = `${'</parameter>\n x'.repeat(50_000)}<`;
  const text = `<function=write_file><parameter=content>${content}</parameter></function>`;
  const cuts = Array.from({ length: text.length / 5 }, (_none, index) => index * 5);
  const { calls } = read(functionParameters, text, cuts, TOOLS);
  expect(JSON.parse(calls?.[0]?.arguments ?? '')).toEqual({ content });
});
