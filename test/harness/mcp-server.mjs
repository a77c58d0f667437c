// An MCP server over stdio for end-to-end tests. Arguments: the folder for its notes, and the milliseconds that it takes
// to start. Each start is a line in `starts`, and each effect is a line in `effects`.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, delay = '0'] = process.argv.slice(2);
const note = (file, line) => appendFileSync(join(folder, file), `${line}\n`);
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `ask-${waiting.size}`;
    waiting.set(id, resolve);
    write({ id, method, params });
  });

const READS = { readOnlyHint: true };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const tools = {
  echo: { annotations: READS, run: async ({ word }) => text(word) },
  meta: { annotations: READS, run: async (_, meta) => text(JSON.stringify(meta)) },
  picture: {
    annotations: READS,
    run: async () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }),
  },
  sum: { annotations: READS, run: async ({ a, b }) => ({ ...text(a + b), structuredContent: { sum: a + b } }) },
  wrong: { annotations: READS, run: async () => ({ ...text('It did not work.'), isError: true }) },
  effect: {
    run: async () => {
      note('effects', 'effect');
      return text('done');
    },
  },
  effect_and_die: {
    run: async () => {
      note('effects', 'effect');
      process.exit(7);
    },
  },
  read_and_die_once: {
    annotations: READS,
    run: async () => {
      const flag = join(folder, 'died');
      if (existsSync(flag)) return text('alive again');
      writeFileSync(flag, '');
      process.exit(7);
    },
  },
  steps: {
    annotations: READS,
    run: async (_, { progressToken }) => {
      for (const progress of [1, 2]) {
        write({ method: 'notifications/progress', params: { progressToken, progress, total: 2, message: 'working' } });
        await pause(10);
      }
      return text('both done');
    },
  },
  question: {
    annotations: READS,
    run: async () =>
      text(
        JSON.stringify(
          await ask('elicitation/create', {
            message: 'Which colour?',
            requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
          }),
        ),
      ),
  },
  complain: {
    annotations: READS,
    run: async () => {
      process.stdout.write('this is no message\n');
      for (const level of ['info', 'warning', 'error'])
        write({ method: 'notifications/message', params: { level, data: `an ${level}` } });
      return text('said');
    },
  },
  client: { annotations: READS, run: async () => text(JSON.stringify(clientCapabilities)) },
  sample: {
    annotations: READS,
    run: async ({ prompt = 'Name a colour.', times = 1, ...more }) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const asked = Array.from({ length: times }, () =>
        ask('sampling/createMessage', { messages, systemPrompt: 'Be brief.', maxTokens: 10, ...more }),
      );
      return text(JSON.stringify(await Promise.all(asked)));
    },
  },
  grow: {
    annotations: READS,
    run: async () => {
      tools.grown = { annotations: READS, run: async () => text('grown up') };
      write({ method: 'notifications/tools/list_changed' });
      return text('growing');
    },
  },
};

let clientCapabilities;

const METHODS = {
  initialize: ({ protocolVersion, capabilities }) => {
    clientCapabilities = capabilities;
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      serverInfo: { name: 'test', version: '1' },
    };
  },
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { annotations }]) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      ...(annotations && { annotations }),
    })),
  }),
  'tools/call': ({ name, arguments: input = {}, _meta = {} }) => tools[name].run(input, _meta),
  'resources/list': () => ({ resources: [{ uri: 'memo://1', name: 'Memo' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'memo://{n}', name: 'Memos' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'a memo' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] }),
  'prompts/get': ({ arguments: input }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${input.who}.` } }],
  }),
};

note('starts', process.pid);
await pause(Number(delay));
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  if (id === undefined) return;
  const run = METHODS[method];
  if (run === undefined) return write({ id, error: { code: -32601, message: 'Method not found' } });
  write({ id, result: await run(params) });
});
