const HEAD = { id: 'plain-answer', model: 'corpus' };
const CREATED = 1_757_000_000;

/** Returns a body that says these words and ends the turn. */
export function finalAnswer(wire, words) {
  return wire === 'chat' ? chatBody([{ content: words }], 'stop') : responsesBody([message(words)]);
}

/** Returns a valid body that calls a tool once for each id. */
export function plainCalls(wire, ids, { name, text }) {
  if (wire === 'responses') {
    return responsesBody(ids.map((id, i) => functionCall(`fc_plain_${i}`, id, { name, arguments: text })));
  }
  const deltas = ids.map((id, index) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
  }));
  return chatBody(deltas, 'tool_calls');
}

function chatBody(deltas, finish) {
  const chunk = (delta, finish_reason) => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    created: CREATED,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [...deltas.map((delta) => chunk({ role: 'assistant', ...delta }, null)), chunk({}, finish)];
  return `${chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`;
}

function responsesBody(items) {
  const response = { ...HEAD, object: 'response', created_at: CREATED, status: 'in_progress', output: [] };
  const events = [
    { type: 'response.created', response },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, ...EMPTY[item.type] } },
      ...deltasOf(item, output_index),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output: items } },
  ];
  return events.map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`).join('');
}

const EMPTY = {
  message: { status: 'in_progress', content: [] },
  function_call: { status: 'in_progress', arguments: '' },
};

function deltasOf(item, output_index) {
  const at = { item_id: item.id, output_index };
  if (item.type === 'function_call') {
    return [{ type: 'response.function_call_arguments.delta', ...at, delta: item.arguments }];
  }
  return [{ type: 'response.output_text.delta', ...at, content_index: 0, delta: item.content[0].text }];
}

function message(text) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { id: 'msg_plain', type: 'message', status: 'completed', role: 'assistant', content };
}

function functionCall(id, call_id, fields) {
  return { id, type: 'function_call', status: 'completed', call_id, ...fields };
}
