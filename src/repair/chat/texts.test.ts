import { describe, expect, test } from 'vitest';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { call, chunk, DONE, piece, repair, repairOnce, TOOLS } from './fixtures/repair-frames.ts';

const text = (content: unknown) => chunk({ content });
const thought = (reasoning_content: string) => chunk({ reasoning_content });
const STOP = [chunk({}, 'stop'), DONE];
const BLOCK = '<tool_call>{"name":"add","arguments":{"a":1,"b":2}}</tool_call>';
const SECTION =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>';
const NOW = piece(call(0, 'c', 'now', '{}'));
const ADD = { name: 'add', input: { a: 1, b: 2 } };

describe('calls in the text', () => {
  test('become calls, the prose around them stays, and the signal is not reported as well', () => {
    const {
      data,
      repairs,
      calls,
      text: answer,
    } = repair([text(`I add. ${BLOCK.slice(0, 9)}`), text(BLOCK.slice(9)), ...STOP]);
    expect(repairs.map(({ id }) => id)).toEqual(['D1']);
    expect(calls).toEqual([ADD]);
    expect(answer).toBe('I add. ');
    expect(repairs[0]).toMatchObject({
      before: BLOCK,
      after: 'add {"a":1,"b":2}',
      callId: expect.stringMatching(/^call_/),
    });
    expect(data.at(-2)).toBe(chunk({}, 'tool_calls'));
  });

  test('vanish if they also came as tool_calls, before or after, in any order of keys', () => {
    const own = piece(call(0, 'c', 'add', '{"b":2, "a":1}'));
    for (const frames of [
      [own, text(BLOCK)],
      [text(BLOCK), own],
    ]) {
      const { ids, calls, callIds, text: answer } = repair([...frames, chunk({}, 'tool_calls'), DONE]);
      expect(ids).toEqual(['D1']);
      expect(calls).toEqual([ADD]);
      expect(callIds).toEqual(['c']);
      expect(answer).toBe('');
    }
  });

  test('are text next to other calls', () => {
    const own = piece(call(0, 'c', 'now', '{}'));
    const { ids, callIds, text: answer } = repair([text(BLOCK), own, chunk({}, 'tool_calls'), DONE]);
    expect(ids).toEqual([]);
    expect(callIds).toEqual(['c']);
    expect(answer).toBe(BLOCK);
  });

  test('that a limit cut off do not run', () => {
    expect(repair([text(BLOCK), chunk({}, 'length'), DONE])).toMatchObject({ calls: [], end: 'max_output_tokens' });
  });

  test('are text after the end of the connection, because more may have been about to follow', () => {
    expect(repairOnce([text(BLOCK)])).toMatchObject({ ids: ['A6'], calls: [], text: BLOCK, end: 'failed' });
    const open = BLOCK.replace('</tool_call>', '');
    expect(repairOnce([text(open)])).toMatchObject({ ids: ['A6'], calls: [], text: open, end: 'failed' });
    expect(repair([text(open), ...STOP])).toMatchObject({ ids: ['D1'], calls: [ADD] });
  });

  test('are text if calls in texts are switched off', () => {
    const frames = [text(BLOCK), ...STOP];
    expect(repair(frames, { textCalls: false })).toMatchObject({ data: frames, ids: [], text: BLOCK });
  });
});

describe('calls in reasoning', () => {
  test('are only thoughts if the connection ended before any signal', () => {
    for (const block of [BLOCK, SECTION]) {
      const repaired = repair([thought('I add. '), thought(block), thought(' So.')]);
      expect(repaired).toMatchObject({ calls: [], ids: ['A6'], end: 'failed', reasoning: `I add. ${block} So.` });
      expect(repair([thought('I add. '), thought(block), DONE])).toMatchObject({ calls: [{ name: 'add' }] });
    }
  });

  test.each([BLOCK, SECTION])('count if nothing else came', (block) => {
    const { calls, reasoning, ids } = repair([thought('I add. '), thought(block), ...STOP]);
    expect(ids).toHaveLength(1);
    expect(calls).toHaveLength(1);
    expect(reasoning).toBe('I add. ');
  });

  test.each([BLOCK, SECTION])('are thoughts if an answer follows, and nothing is changed', (block) => {
    const frames = [thought('Should I '), thought(block), thought(' or not?'), text('No.'), ...STOP];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], calls: [], text: 'No.' });
  });

  test('are thoughts next to a call, unless they repeat it', () => {
    const own = piece(call(0, 'c', 'now', '{}'));
    const frames = [thought(`I think of ${BLOCK} here`), own, chunk({}, 'tool_calls'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [] });
    const same = repair([
      thought(`${BLOCK}`),
      piece(call(0, 'c', 'add', '{"a":1,"b":2}')),
      chunk({}, 'tool_calls'),
      DONE,
    ]);
    expect(same).toMatchObject({ ids: ['D1'], callIds: ['c'], reasoning: '' });
  });

  test('white space is not an answer', () => {
    expect(repair([thought(BLOCK), text('\n\n'), ...STOP])).toMatchObject({ calls: [ADD], ids: ['D1'] });
  });

  test('between think tags are thoughts if an answer follows', () => {
    const { ids, calls, reasoning, text: answer } = repair([text(`<think>Or ${BLOCK} then?</think>No.`), ...STOP]);
    expect(ids).toEqual(['E2']);
    expect(calls).toEqual([]);
    expect(reasoning).toBe(`Or ${BLOCK} then?`);
    expect(answer).toBe('No.');
  });

  test('hold back no more than a few frames', () => {
    const later = Array.from({ length: 200 }, (_, n) => thought(`thought ${n}. `));
    const { reasoning, calls } = repair([thought('So: '), thought(BLOCK), ...later, text('No.'), ...STOP]);
    expect(calls).toEqual([]);
    expect(reasoning).toBe(`So: ${BLOCK}${later.map((_, n) => `thought ${n}. `).join('')}`);
  });
});

describe('a call inside an error (D13)', () => {
  const failure = (failed_generation: string) =>
    JSON.stringify({ error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation } });

  test('is the answer', () => {
    const { data, ids, calls, end } = repair([failure('<function=read={"path": "sample.txt"}</function>')]);
    expect(ids).toEqual(['D13']);
    expect(calls).toEqual([{ name: 'read', input: { path: 'sample.txt' } }]);
    expect(end).toBe('completed');
    expect(data.at(-1)).toBe(DONE);
  });

  test('is the answer as an event, after other frames and with prose', () => {
    const frames = [chunk({ role: 'assistant' }), { event: 'error', data: failure(`I add. ${BLOCK}`) }, DONE];
    const { ids, calls, text: answer, data } = repair(frames);
    expect(ids).toEqual(['D13']);
    expect(calls).toEqual([ADD]);
    expect(answer).toBe('I add. ');
    expect(data.filter((line) => line === DONE)).toHaveLength(1);
  });

  test('is the answer where the same call waits in the text', () => {
    const { ids, calls, text: answer, end } = repair([text('I add. '), text(BLOCK), failure(`I add. ${BLOCK}`)]);
    expect(ids).toEqual(['D13']);
    expect({ answer, calls, end }).toEqual({ answer: 'I add. ', calls: [ADD], end: 'completed' });
  });

  test('stays an error if no call can be read, and next to other calls', () => {
    const frames = [failure('<function=unknown>{}</function>'), DONE];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], error: { code: 'tool_use_failed' } });
    const beside = [piece(call(0, 'c', 'now', '{')), failure(BLOCK)];
    expect(repair(beside)).toMatchObject({ ids: [], calls: [], end: 'failed' });
  });
});

describe('reasoning (E1, E6, E7)', () => {
  const details = (...texts: readonly string[]) =>
    texts.map((it, index) => ({ type: 'reasoning.text', text: it, index }));

  test.each([
    ['details only', { reasoning_details: details('Hm.') }],
    ['an object', { reasoning: { text: 'Hm.' } }],
    ['another object', { reasoning_content: { content: 'Hm.' } }],
  ])('in %s is put into a text', (_, delta) => {
    const { data, ids, reasoning } = repair([chunk(delta), text('Yes.'), ...STOP]);
    expect(ids).toEqual(['E1']);
    expect(reasoning).toBe('Hm.');
    const said = JSON.parse(data[0] ?? '').choices[0].delta;
    expect(said).toEqual({
      reasoning_content: 'Hm.',
      ...('reasoning_details' in delta && { reasoning_details: delta.reasoning_details }),
    });
  });

  test.each([
    { reasoning_content: 'Hm.' },
    { reasoning: 'Hm.' },
    { reasoning_content: 'Hm.', reasoning: null, reasoning_details: [] },
    { reasoning_content: '', reasoning: 'Hm.' },
    { reasoning_content: 'Hm.', reasoning_details: details('Hm.') },
    { reasoning: 'Hm.', reasoning_details: details('Hm.') },
    { reasoning_content: 'Hm.', reasoning: 'Hm.' },
    { reasoning_content: 'Hm.', reasoning: 'Hm.', reasoning_details: details('Hm.') },
  ])('passes as it is: %j', (delta) => {
    const frames = [chunk(delta), text('Yes.'), ...STOP];
    expect(repair(frames)).toMatchObject({ data: frames, ids: [], reasoning: 'Hm.' });
  });

  test.each([['reasoning'], ['reasoning_content'], ['reasoning_content', 'reasoning']])(
    'keeps its names: %j %j',
    (...names) => {
      const delta = (it: string) => chunk(Object.fromEntries(names.map((name) => [name, it])));
      const { data, ids } = repair([delta('Hm. <tool_c'), delta('all> is a tag.'), text('Yes.'), ...STOP]);
      expect(ids).toEqual([]);
      const deltas = data.slice(0, -1).map((frame) => JSON.parse(frame).choices[0].delta);
      for (const name of names) expect(deltas.map((it) => it[name] ?? '').join('')).toBe('Hm. <tool_call> is a tag.');
    },
  );

  test.each(['details', 'text'])('in snapshots (%s) goes out once', (form) => {
    const snapshots = ['The', 'The user', 'The user wants', 'The user wants', 'The user wants it.'];
    const frames = snapshots.map((it) => (form === 'text' ? thought(it) : chunk({ reasoning_details: details(it) })));
    const { ids, reasoning } = repair([...frames, text('Yes.'), ...STOP]);
    expect(ids).toEqual(['E6']);
    expect(reasoning).toBe('The user wants it.');
  });

  test('that has the same word twice is not a snapshot', () => {
    for (const words of [
      ['no ', 'no ', 'yes'],
      ['1', '10', '2'],
      ['--------', '---------', '-'],
    ]) {
      const frames = [...words.map(thought), text('Yes.'), ...STOP];
      expect(repair(frames)).toMatchObject({ data: frames, ids: [], reasoning: words.join('') });
    }
  });

  test('in parts of the content is removed from it', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hi' },
    ];
    const {
      data,
      ids,
      reasoning,
      text: answer,
    } = repair([text(content), text([{ type: 'text', text: '!' }]), ...STOP]);
    expect(ids).toEqual(['E7']);
    expect(reasoning).toBe('Hm.');
    expect(answer).toBe('Hi!');
    expect(data[1]).toBe(text('!'));
  });
});

describe('an answer that was sent as reasoning (E11)', () => {
  const none = { tools: new Map() };
  const stoppedBy = (fields: object) =>
    chunk({}, null, { choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...fields }] });

  test('is the text if the request had no tools', () => {
    const { data, ids, text: answer, reasoning } = repair([thought('It is '), thought('four.'), ...STOP], none);
    expect(ids).toEqual(['E11']);
    expect(answer).toBe('It is four.');
    expect(reasoning).toBe('It is four.');
    expect(data.slice(-3)).toEqual([text('It is four.'), ...STOP]);
  });

  test('is the text if a token of the model ended it', () => {
    for (const end of [{ stop_reason: null }, { matched_stop: 151645 }])
      expect(repair([thought('Four.'), stoppedBy(end), DONE], none)).toMatchObject({ ids: ['E11'], text: 'Four.' });
  });

  test('stays reasoning next to an answer, with tools, at a limit, at a stop word and without a signal', () => {
    const thoughts = [thought('Hm, four.')];
    const cases: [string[], object][] = [
      [[...thoughts, text('Four.'), ...STOP], none],
      [[...thoughts, ...STOP], { tools: TOOLS }],
      [[...thoughts, chunk({}, 'length'), DONE], none],
      [[chunk({ refusal: 'No.' }), ...thoughts, ...STOP], none],
      [[...thoughts, ...STOP], { ...none, hasStopWords: true }],
      [[...thoughts, stoppedBy({ stop_reason: 'four' }), DONE], none],
      [[...thoughts, stoppedBy({ matched_stop: 'four' }), DONE], none],
    ];
    for (const [frames, options] of cases) expect(repair(frames, options)).toMatchObject({ data: frames, ids: [] });
  });
});

describe('reasoning in the text', () => {
  test('of which only the end is marked is expected in the next answer', () => {
    const memory = { startsThinking: false };
    const frames = [text('Two and two'), text('</think>Four.'), ...STOP];
    expect(repairOnce(frames, { memory })).toMatchObject({ ids: ['E3'], text: 'Two and twoFour.' });
    expect(memory.startsThinking).toBe(true);
    expect(repairOnce(frames, { memory })).toMatchObject({ text: 'Four.', reasoning: 'Two and two' });
  });

  test('that was expected and did not come is the answer, and not expected again', () => {
    const memory = { startsThinking: true };
    expect(repairOnce([text('Just '), text('four.'), ...STOP], { memory })).toMatchObject({
      ids: ['E11'],
      text: 'Just four.',
    });
    expect(memory.startsThinking).toBe(false);
  });

  test('that is configured and does not come is the answer', () => {
    const compat = { ...DEFAULT_COMPAT, thinking: 'open' } as const;
    const answer = [text('Just '), text('four.')];
    for (const end of [STOP, [DONE]])
      expect(repair([...answer, ...end], { compat })).toMatchObject({ text: 'Just four.', end: 'completed' });
    const { text: said, callIds } = repair([...answer, NOW, chunk({}, 'tool_calls'), DONE], { compat });
    expect({ said, callIds }).toEqual({ said: 'Just four.', callIds: ['c'] });
    const cut = repair([...answer, chunk({}, 'length'), DONE], { compat });
    expect(cut).toMatchObject({ text: '', reasoning: 'Just four.' });
  });

  test('that came to its end is not an answer, even if nothing follows', () => {
    const compat = { ...DEFAULT_COMPAT, thinking: 'open' } as const;
    for (const closed of [[text('Hm.</think>')], [text('<think>Hm.</think>')], [text('Hm.</think>'), NOW]]) {
      const repaired = repair([...closed, ...STOP], { compat });
      expect(repaired).toMatchObject({ text: '', reasoning: 'Hm.', end: 'completed' });
    }
  });

  test('is not expected if it has a field of its own', () => {
    const frames = [thought('Hm.'), text('Four.'), ...STOP];
    const memory = { startsThinking: true };
    expect(repairOnce(frames, { memory })).toMatchObject({ data: frames, ids: [], text: 'Four.' });
  });
});
