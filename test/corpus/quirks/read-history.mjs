/**
 * Returns the calls in the history of a request, in order: name, arguments (a value, or the text where they are not
 * JSON), and the output that the client sent; undefined without one.
 */
export function callsIn(wire, body) {
  return wire === 'chat' ? chatCalls(listOf(body.messages)) : responsesCalls(listOf(body.input));
}

/** Returns the number of messages and calls of the model in the history of a request. */
export function spokenIn(wire, body) {
  if (wire === 'responses') {
    return listOf(body.input).filter(({ type, role }) => CALLS.has(type) || role === 'assistant').length;
  }
  const turns = listOf(body.messages).filter(({ role }) => role === 'assistant');
  return turns.reduce((sum, { tool_calls }) => sum + Math.max(1, listOf(tool_calls).length), 0);
}

/** Returns the names of the tools that a request declares. */
export function toolsIn(body) {
  return new Set(listOf(body.tools).map((tool) => tool.function?.name ?? tool.custom?.name ?? tool.name ?? tool.type));
}

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output']);

function chatCalls(messages) {
  const outputs = createOutputs(
    messages.filter(({ role }) => role === 'tool').map(({ tool_call_id, content }) => [tool_call_id, content]),
  );
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ tool_calls }) => listOf(tool_calls))
    .map(({ id, function: form, custom }) => ({
      id,
      name: form?.name ?? custom?.name,
      arguments: valueOfText(form?.arguments ?? custom?.input),
      output: outputs(id),
    }));
}

function responsesCalls(input) {
  const outputs = createOutputs(
    input.filter(({ type }) => OUTPUTS.has(type)).map(({ call_id, output }) => [call_id, output]),
  );
  return input
    .filter(({ type }) => CALLS.has(type))
    .map(({ type, call_id, name, arguments: text, input: raw }) => ({
      id: call_id,
      name: name ?? type,
      arguments: raw ?? valueOfText(text),
      output: outputs(call_id),
    }));
}

/** Returns a reader of outputs that returns each output once: a client may use an id again. */
function createOutputs(pairs) {
  const waiting = [...pairs];
  return (id) => {
    const at = waiting.findIndex(([of]) => of === id);
    return at < 0 ? undefined : textOf(waiting.splice(at, 1)[0][1]);
  };
}

function textOf(output) {
  if (typeof output === 'string') return output;
  return listOf(output)
    .map((part) => part.text ?? '')
    .join('');
}

function valueOfText(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function listOf(value) {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}
