import { createInterface } from 'node:readline';

/** The one tool of an MCP server over standard input and output. It returns its input. */
const ECHO = {
  name: 'echo',
  description: 'Says a text again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echoes', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [ECHO] }),
  'tools/call': ({ arguments: given }) => ({ content: [{ type: 'text', text: `echo of ${given.text}` }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  if (answer === undefined) print({ id, error: { code: -32601, message: `There is no method ${method}.` } });
  else print({ id, result: answer(params ?? {}) });
});

function print(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
