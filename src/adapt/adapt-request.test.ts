import { describe, expect, test } from 'vitest';
import { ADAPTATIONS } from './adapt-change.ts';
import { adapted, adaptedInput, adaptedMessages } from './fixtures/adapted.ts';
import {
  assistant,
  call,
  callItem,
  developer,
  image,
  imagePart,
  message,
  outputItem,
  reasoningItem,
  result,
  system,
  text,
  user,
} from './fixtures/history.ts';

const hi = user('hi');

describe('G1, the role of developers', () => {
  const compat = { developerRole: 'system' } as const;

  test('is sent as system on both wires', () => {
    expect(adaptedMessages([developer('be kind'), hi], compat)).toEqual([system('be kind'), hi]);
    expect(adaptedInput([message('developer', 'be kind'), { role: 'developer', content: 'x' }], compat)).toEqual([
      message('system', 'be kind'),
      { role: 'system', content: 'x' },
    ]);
  });

  test('stays on items that are not messages', () => {
    const input = [{ type: 'additional_tools', role: 'developer', tools: [] }];
    expect(adaptedInput(input, compat)).toBe(input);
  });

  test('is reported once', () => {
    const messages = [developer('a'), hi, developer('b')];
    expect(adapted('chat', { messages }, compat).changes).toEqual([{ id: 'G1', before: 'developer', after: 'system' }]);
  });
});

describe('G2, one system message', () => {
  const compat = { systemMessages: 'one' } as const;

  test('merges leading ones and labels later ones', () => {
    const messages = [system('a'), developer('b'), hi, system('c'), { ...system([text('d')]), name: 'n' }];
    expect(adaptedMessages(messages, compat)).toEqual([
      system('a\n\nb'),
      hi,
      user('[system]\nc'),
      { ...user([text('[system]'), text('d')]), name: 'n' },
    ]);
    expect(adapted('chat', { messages }, compat).changes).toEqual([
      { id: 'G2', before: '2 system messages', after: 'one' },
      { id: 'G2', before: 'system', after: 'user' },
    ]);
  });

  test('keeps all fields and parts of merged messages', () => {
    const messages = [
      { ...system([text('a')]), name: 'x' },
      { ...system('b'), cache: 1, name: 'y' },
    ];
    expect(adaptedMessages(messages, compat)).toEqual([{ ...system([text('a'), text('b')]), name: 'x', cache: 1 }]);
  });

  test('adds leading ones to the instructions if there are any', () => {
    const input = [message('developer', 'a'), message('system', 'b'), message('user', 'hi'), message('developer', 'c')];
    expect(adapted('responses', { input, instructions: 'base' }, compat).body).toEqual({
      instructions: 'base\n\na\n\nb',
      input: [message('user', 'hi'), labelled('c')],
    });
    expect(adapted('responses', { input, instructions: '' }, compat).body).toEqual({
      instructions: '',
      input: [
        { ...message('developer', 'a'), content: [inputText('a'), inputText('b')] },
        message('user', 'hi'),
        labelled('c'),
      ],
    });
  });

  test('sends one with more than text as the user if there are instructions', () => {
    const shown = { type: 'message', role: 'developer', content: [imagePart()] };
    expect(adaptedInput([shown], compat, { instructions: 'base' })).toEqual([
      { type: 'message', role: 'user', content: [inputText('[system]'), imagePart()] },
    ]);
  });

  test('does not change a request that has one', () => {
    const messages = [system('a'), hi, assistant('yes')];
    expect(adaptedMessages(messages, compat)).toBe(messages);
  });
});

describe('G2, alternating roles', () => {
  const compat = { alternateRoles: true } as const;

  test('merges messages of one role, but not results', () => {
    const messages = [hi, user([image()]), assistant('one'), assistant(null, call('c1'), call('c2'))];
    expect(adaptedMessages([...messages, result('c1'), result('c2'), user('a'), user('b')], compat)).toEqual([
      user([text('hi'), image()]),
      assistant('one', call('c1'), call('c2')),
      result('c1'),
      result('c2'),
      assistant('I have the results.'),
      user('a\n\nb'),
    ]);
  });

  test('does not change results that the assistant answers', () => {
    const messages = [hi, assistant(null, call('c1')), result('c1'), assistant('so'), user('a')];
    expect(adaptedMessages(messages, compat)).toBe(messages);
  });

  test('joins calls and reasoning of merged messages', () => {
    const first = { ...assistant('', call('c1')), reasoning_content: 'hm' };
    const second = { ...assistant('text', call('c2')), reasoning_content: 'ah' };
    expect(adaptedMessages([first, second], compat)).toEqual([
      { ...assistant('text', call('c1'), call('c2')), reasoning_content: 'hm\n\nah' },
    ]);
  });

  test('merges adjacent items', () => {
    const input = [message('user', 'a'), message('user', 'b'), callItem('c1'), outputItem('c1'), message('user', 'c')];
    expect(adaptedInput(input, compat)).toEqual([
      { ...message('user', 'a'), content: [inputText('a'), inputText('b')] },
      ...input.slice(2, 4),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I have the results.' }] },
      ...input.slice(4),
    ]);
  });
});

describe('G3, fields that a server does not know', () => {
  const sent = {
    model: 'm',
    store: false,
    frequency_penalty: 0,
    messages: [hi, { ...assistant('a'), reasoning_content: 'r' }, { ...assistant(null, { ...call('c1'), name: 'x' }) }],
    tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: {} } }],
    stream: true,
  };

  test('are dropped wherever the paths lead', () => {
    const dropFields = ['store', 'messages.*.reasoning_content', 'tool_calls.*.name', 'tools.0.function.strict'];
    const { body, changes } = adapted('chat', sent, { dropFields });
    expect(body).toEqual({
      model: 'm',
      frequency_penalty: 0,
      messages: [hi, assistant('a'), assistant(null, call('c1'))],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      stream: true,
    });
    expect(changes[0]).toEqual({ id: 'G3', before: '{"store":false}', after: '' });
    expect(changes.map(({ id }) => id)).toEqual(['G3', 'G3', 'G3', 'G3']);
  });

  test('stay if a request needs them', () => {
    const dropFields = [
      ...['model', 'messages', 'stream', 'tools', 'messages.*.role', 'messages.*.content', 'messages.*.tool_calls'],
      ...['messages.*', 'tool_calls.*.id', 'tools.*.function', 'tools.*.function.name', 'none', 'store.x', '', '*'],
    ];
    expect(adapted('chat', sent, { dropFields }).body).toBe(sent);
    const input = { input: [callItem('c1'), outputItem('c1')], model: 'm' };
    const items = ['input', 'input.*.type', 'input.*.call_id', 'input.*.arguments', 'input.*.output'];
    expect(adapted('responses', input, { dropFields: items }).body).toBe(input);
  });

  test('include lists of tools and calls only if these are empty', () => {
    const body = {
      model: 'm',
      messages: [{ ...hi, tool_calls: null }, { ...assistant('a'), tool_calls: [] }, assistant(null, call('c1'))],
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    };
    expect(adapted('chat', body, { dropFields: ['tools', 'messages.*.tool_calls'] }).body).toEqual({
      model: 'm',
      messages: [hi, assistant('a'), assistant(null, call('c1'))],
    });
  });
});

describe('G4, the name of the token limit', () => {
  test.each([
    ['max_tokens', { max_completion_tokens: 5 }, { max_tokens: 5 }],
    ['max_completion_tokens', { max_tokens: 5 }, { max_completion_tokens: 5 }],
    ['max_tokens', { max_tokens: 3, max_completion_tokens: 5 }, { max_tokens: 3 }],
    ['max_tokens', { max_tokens: null, max_completion_tokens: 5 }, { max_tokens: 5 }],
    ['max_tokens', { max_completion_tokens: null }, {}],
    ['max_tokens', { max_tokens: 5 }, { max_tokens: 5 }],
    ['as_sent', { max_tokens: 3, max_completion_tokens: 5 }, { max_tokens: 3, max_completion_tokens: 5 }],
  ] as const)('is %s where the server wants it', (maxTokens, sent, expected) => {
    expect(adapted('chat', sent, { maxTokens }).body).toEqual(expected);
  });

  test('differs on the Responses wire', () => {
    const sent = { max_output_tokens: 5, max_tokens: 1 };
    expect(adapted('responses', sent, { maxTokens: 'max_completion_tokens' }).body).toBe(sent);
  });
});

describe('G5 and G13, the choice of a tool', () => {
  const named = { type: 'function', function: { name: 'f' } };

  test.each(['required', 'any', named, { type: 'allowed_tools', mode: 'required', tools: [] }])(
    'is left to the model where nothing may be forced: %j',
    (tool_choice) => {
      const { body, changes } = adapted('chat', { tool_choice }, { toolChoice: 'auto' });
      expect(body).toEqual({ tool_choice: 'auto' });
      const before = typeof tool_choice === 'string' ? tool_choice : JSON.stringify(tool_choice);
      expect(changes).toEqual([{ id: 'G5', before, after: 'auto' }]);
    },
  );

  test.each(['auto', 'none', null])('is unchanged if it forces nothing: %j', (tool_choice) => {
    const sent = { tool_choice };
    expect(adapted('responses', sent, { toolChoice: 'auto' }).body).toBe(sent);
  });

  test('is dropped if the field is unwanted, which is reported', () => {
    const { body, changes } = adapted('chat', { model: 'm', tool_choice: 'none' }, { toolChoice: 'omit' });
    expect(body).toEqual({ model: 'm' });
    expect(changes).toEqual([{ id: 'G13', before: 'none', after: '' }]);
  });
});

describe('G6, the order of calls and results', () => {
  const compat = { toolOrder: 'strict' } as const;
  const ordered = (...messages: object[]) => adaptedMessages(messages, compat);
  const aborted = (id: string) => result(id, 'aborted');

  test('puts calls of one turn into one message', () => {
    expect(ordered(assistant('a', call('c1')), assistant(null, call('c2')), result('c2'), result('c1'))).toEqual([
      assistant('a', call('c1'), call('c2')),
      result('c1'),
      result('c2'),
    ]);
  });

  test('moves results right behind their calls', () => {
    expect(ordered(assistant(null, call('c1'), call('c2')), result('c1'), hi, result('c2'))).toEqual([
      assistant(null, call('c1'), call('c2')),
      result('c1'),
      result('c2'),
      hi,
    ]);
  });

  test('answers calls that were never answered', () => {
    const messages = [assistant(null, call('c1'), call('c2')), result('c2'), hi, assistant('', call('c3'))];
    expect(ordered(...messages)).toEqual([
      assistant(null, call('c1'), call('c2')),
      aborted('c1'),
      result('c2'),
      hi,
      assistant('', call('c3')),
      aborted('c3'),
    ]);
    expect(adapted('chat', { messages }, compat).changes).toEqual([
      { id: 'G6', before: 'no result of c1, c3', after: 'aborted' },
    ]);
  });

  test('drops results without a call and reports it', () => {
    const messages = [result('c0'), hi, assistant('a', call('c1')), result('c1'), result('c1'), { role: 'tool' }];
    expect(ordered(...messages)).toEqual([hi, assistant('a', call('c1')), result('c1')]);
    expect(adapted('chat', { messages }, compat).changes).toEqual([
      { id: 'G6', before: 'a result without its call: c0, c1, ', after: '' },
    ]);
  });

  test('assigns a result to the latest turn with its id', () => {
    expect(ordered(assistant('', call('c')), result('c', 1), assistant('', call('c')), result('c', 2))).toEqual([
      assistant('', call('c')),
      result('c', 1),
      assistant('', call('c')),
      result('c', 2),
    ]);
  });

  test('does not change a history that is in order', () => {
    const messages = [
      hi,
      assistant('text'),
      assistant('', call('c1')),
      result('c1'),
      assistant('', call('c2')),
      result('c2'),
    ];
    expect(adaptedMessages(messages, compat)).toBe(messages);
  });

  test('orders items, with reasoning between calls', () => {
    const [a, r, b] = [callItem('a'), reasoningItem('rs'), callItem('b')];
    expect(adaptedInput([a, r, b, outputItem('b'), message('user', 'hi'), outputItem('a'), r], compat)).toEqual([
      ...[a, r, b, outputItem('a'), outputItem('b'), message('user', 'hi'), r],
    ]);
    expect(adaptedInput([a, message('assistant', 'so'), outputItem('a')], compat)).toEqual([
      ...[a, outputItem('a'), message('assistant', 'so')],
    ]);
  });

  test('answers items with results of the matching type', () => {
    const custom = { type: 'custom_tool_call', name: 'patch', input: '', call_id: 'p' };
    const shell = { type: 'local_shell_call', id: 's', call_id: null, action: {} };
    expect(adaptedInput([custom, shell], compat)).toEqual([
      ...[custom, shell],
      { type: 'custom_tool_call_output', call_id: 'p', output: 'aborted' },
      { type: 'function_call_output', call_id: 's', output: 'aborted' },
    ]);
  });

  test('keeps results of calls that the server remembers', () => {
    const input = [outputItem('earlier'), message('user', 'hi')];
    expect(adaptedInput(input, compat, { previous_response_id: 'resp_1' })).toBe(input);
    expect(adaptedInput([{ type: 'item_reference', id: 'fc_1' }, ...input], compat)).toContain(input[0]);
    expect(adaptedInput(input, compat)).toEqual([message('user', 'hi')]);
  });
});

describe('G7, the content of turns without text', () => {
  test.each([
    ['null', null],
    ['empty', ''],
    ['space', ' '],
    ['omit', undefined],
  ] as const)('is sent as %s', (emptyContent, content) => {
    const { content: _, ...rest } = assistant(null, call('c1'));
    const expected = content === undefined ? rest : { ...rest, content };
    for (const blank of [null, '', ' ', undefined, [], [text('')]]) {
      expect(adaptedMessages([assistant(blank, call('c1'))], { emptyContent })).toStrictEqual([expected]);
    }
  });

  test('is unchanged for turns with text or without calls', () => {
    const messages = [assistant('a', call('c1')), assistant(''), user(''), assistant([image()], call('c1'))];
    expect(adaptedMessages(messages, { emptyContent: 'space' })).toBe(messages);
  });

  test('is reported with the old value', () => {
    const messages = [assistant('', call('c1'))];
    expect(adapted('chat', { messages }, { emptyContent: 'null' }).changes).toEqual([
      { id: 'G7', before: '{"content":""}', after: 'null' },
    ]);
  });
});

describe('G8, images in results', () => {
  const compat = { toolImages: 'user' } as const;

  test('follow in one user message after all results', () => {
    const messages = [
      assistant(null, call('c1'), call('c2')),
      result('c1', [text('seen'), image('a')]),
      result('c2', [image('b')]),
      assistant('nice'),
    ];
    expect(adaptedMessages(messages, compat)).toEqual([
      messages[0],
      result('c1', 'seen\n[image attached below]'),
      result('c2', 'attached local image path'),
      user([image('a'), image('b')]),
      assistant('nice'),
    ]);
  });

  test('follow in an item on the Responses wire', () => {
    const file = { type: 'input_file', file_id: 'f' };
    const input = [
      callItem('c1'),
      outputItem('c1', [inputText('seen'), imagePart()]),
      callItem('c2'),
      outputItem('c2', [file]),
    ];
    expect(adaptedInput(input, compat)).toEqual([
      callItem('c1'),
      outputItem('c1', 'seen\n[image attached below]'),
      { type: 'message', role: 'user', content: [imagePart()] },
      callItem('c2'),
      outputItem('c2', '[file attached below]'),
      { type: 'message', role: 'user', content: [file] },
    ]);
  });

  test('do not change results that are text', () => {
    const messages = [user([image()]), assistant(null, call('c1')), result('c1', [text('a')])];
    expect(adaptedMessages(messages, compat)).toBe(messages);
  });
});

describe('G12, names of tools', () => {
  const compat = { toolNames: 'plain' } as const;

  test('are plain in tools, choice and history of a chat request, and can be restored', () => {
    const tools = [
      { type: 'function', function: { name: 'files.read', parameters: {} } },
      { type: 'custom', custom: { name: 'apply:patch' } },
    ];
    const messages = [
      assistant('', call('c1', 'files.read')),
      { ...result('c1'), name: 'files.read' },
      { ...hi, name: 'a.b' },
    ];
    const tool_choice = { type: 'function', function: { name: 'files.read' } };
    const { body, changes, restoreName } = adapted('chat', { tools, tool_choice, messages }, compat);
    expect(body).toEqual({
      tools: [
        { type: 'function', function: { name: 'files_read', parameters: {} } },
        { type: 'custom', custom: { name: 'apply_patch' } },
      ],
      tool_choice: { type: 'function', function: { name: 'files_read' } },
      messages: [
        assistant('', call('c1', 'files_read')),
        { ...result('c1'), name: 'files_read' },
        { ...hi, name: 'a.b' },
      ],
    });
    expect(changes).toEqual([{ id: 'G12', before: 'files.read, apply:patch', after: 'files_read, apply_patch' }]);
    expect(['files_read', 'apply_patch', 'other'].map(restoreName)).toEqual(['files.read', 'apply:patch', 'other']);
  });

  test('are plain everywhere in a Responses request', () => {
    const member = { type: 'function', name: 'x.y', parameters: {} };
    const body = {
      tools: [{ type: 'namespace', name: 'mcp.idea', tools: [member] }, { type: 'web_search' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'x.y' }] },
      input: [
        { ...callItem('c1', 'x.y'), namespace: 'mcp.idea' },
        { type: 'additional_tools', tools: [member] },
      ],
    };
    expect(JSON.stringify(adapted('responses', body, compat).body)).toBe(
      JSON.stringify(body).replaceAll('x.y', 'x_y').replaceAll('mcp.idea', 'mcp_idea'),
    );
  });
});

describe('G14, stop words', () => {
  test.each([
    [1, ['a', 'b'], ['a']],
    [4, ['a', 'b'], ['a', 'b']],
    [1, 'a', 'a'],
    [0, 'a', undefined],
    [0, null, null],
  ])('are at most %j of %j', (maxStops, stop, expected) => {
    const { body, changes } = adapted('chat', { stop }, { maxStops });
    expect(body).toEqual(expected === undefined ? {} : { stop: expected });
    expect(changes.length).toBe(body.stop === stop ? 0 : 1);
  });
});

describe('every adaptation', () => {
  test('has a description, and its report is bounded', () => {
    const { changes } = adapted('chat', { tool_choice: 'x'.repeat(1000) }, { toolChoice: 'auto' });
    expect(changes).toEqual([{ id: 'G5', before: `${'x'.repeat(199)}…`, after: 'auto' }]);
    expect(Object.keys(ADAPTATIONS)).toEqual(Array.from({ length: 16 }, (_, i) => `G${i + 1}`));
  });

  test('keeps unknown fields in place', () => {
    const body = {
      model: 'm',
      extra: { deep: [1] },
      messages: [
        { ...developer('a'), extra: 1 },
        { ...hi, extra: 2 },
        { ...user('b'), more: 3 },
      ],
    };
    expect(adapted('chat', body, { developerRole: 'system', alternateRoles: true }).body).toEqual({
      model: 'm',
      extra: { deep: [1] },
      messages: [
        { ...system('a'), extra: 1 },
        { ...user('hi\n\nb'), extra: 2, more: 3 },
      ],
    });
  });
});

function inputText(words: string) {
  return { type: 'input_text', text: words };
}

function labelled(words: string) {
  return { ...message('user', words), content: [inputText('[system]'), inputText(words)] };
}
