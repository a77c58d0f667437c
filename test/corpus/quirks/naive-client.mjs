/** The simplest client: it believes the finish reason and repairs nothing. It stands for other clients. */
const [url, model] = process.argv.slice(2);
const messages = [{ role: 'user', content: 'do it' }];
const tools = ['exec_command', 'get_weather', 'add'].map((name) => ({ type: 'function', function: { name } }));

for (let turn = 0; turn < 3; turn++) {
  const body = JSON.stringify({ model, messages, tools, stream: true });
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body });
  const calls = await readCalls(await response.text());
  if (calls.length === 0) break;
  messages.push({ role: 'assistant', content: null, tool_calls: calls });
  for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'ok' });
}

async function readCalls(text) {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  const choices = events.flatMap((event) => JSON.parse(event.slice(6)).choices);
  const calls = [];
  for (const { delta } of choices) {
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: piece.name, arguments: '' } };
      calls[index].function.arguments += piece.arguments;
    }
  }
  return choices.some(({ finish_reason }) => finish_reason === 'tool_calls') ? calls : [];
}
