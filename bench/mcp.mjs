// Measures MCP servers: the start of a turn with ten configured servers, one of them slow by 20 seconds and the grace at 0,
// against one with none; and a call of a tool through the agent against a direct call with the SDK, made by a tool of one's
// own in turns of the same thread: calls in a loop without turns keep both processes awake. All is measured in one run. Usage: node bench/mcp.mjs, after a build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAgent, defineTool } from '../dist/index.js';

const ROUNDS = 15;
const THREADS = 6;
const BLOCKS = 10;
const CALLS = 30;
const BUDGETS = { start: 1.2, call: 1.3 };
const folder = mkdtempSync(join(tmpdir(), 'oxbow-bench-mcp-'));
const program = join(folder, 'server.mjs');
writeFileSync(program, serverText());

try {
  const rows = [...(await compareStarts()), ...(await compareCalls())];
  for (const row of rows) process.stdout.write(`${row.text}\n`);
  process.send?.(rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
  process.disconnect?.();
}

/**
 * Compares the times from the start of a thread to its first request: of the first thread of an agent, with which the
 * servers start, and of a thread while all servers but the slow one are ready.
 */
async function compareStarts() {
  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`s${n}`, serverTable(n === 0 ? 20_000 : 0)]));
  const first = { none: [], ten: [] };
  const later = { none: [], ten: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, servers] of Object.entries({ none: {}, ten })) {
      const times = await startsOf(servers);
      // The first round warms up.
      if (round === 0) continue;
      first[name].push(times[0]);
      later[name].push(median(times.slice(1)));
    }
  }
  return [
    row('first turn, with ten MCP servers that start, one slow by 20 s', first.ten, first.none, BUDGETS.start),
    row('turn start beside ten MCP servers, one slow by 20 s', later.ten, later.none, null),
  ];
}

/** Returns the time from the start of each thread to its request, of the threads of one agent, one after the other. */
async function startsOf(mcpServers) {
  let sentAt = 0;
  const agent = agentWith({ mcpServers }, () => {
    sentAt = performance.now();
    return said('done');
  });
  try {
    const times = [];
    for (let n = 0; n < THREADS; n++) {
      const startedAt = performance.now();
      const thread = await agent.startThread({ ephemeral: true });
      await thread.run('go');
      times.push(sentAt - startedAt);
      await thread.close();
      if (n === 0) await readyOf(agent);
    }
    return times;
  } finally {
    await agent.close();
  }
}

/** Waits until all servers but the slow one are ready. */
async function readyOf(agent) {
  for (;;) {
    const states = await agent.mcp.states();
    if (states.filter(({ status }) => status !== 'ready').length <= 1) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Compares calls of the agent, from the start of the tool to its end, with direct calls, in blocks that alternate. */
async function compareCalls() {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, '0'] }));
  const direct = [];
  const own = defineTool({
    name: 'own',
    description: 'Calls the server directly.',
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
    mutating: false,
    async run(input) {
      const directAt = performance.now();
      const { content } = await client.callTool({ name: 'echo', arguments: input });
      direct.push(performance.now() - directAt);
      return JSON.stringify(content);
    },
  });
  let left = 0;
  let name = 's__echo';
  const agent = agentWith({ mcpServers: { s: serverTable(0) }, grace: 30_000, tools: [own] }, () =>
    left-- > 0 ? called(name, { word: 'x' }, left) : said('done'),
  );
  const times = { s__echo: [], own: [] };
  try {
    let startedAt = 0;
    const onEvent = ({ type }) => {
      if (type === 'call.started') startedAt = performance.now();
      if (type === 'call.ended') times[name].push(performance.now() - startedAt);
    };
    const thread = await agent.startThread({ ephemeral: true, onEvent });
    for (let block = 0; block < BLOCKS; block++) {
      for (name of Object.keys(times)) {
        left = CALLS;
        await thread.run('go');
      }
    }
    for (const { length } of Object.values(times))
      if (length !== BLOCKS * CALLS) throw new Error(`${length} of ${BLOCKS * CALLS} calls were made.`);
  } finally {
    await agent.close();
    await client.close();
  }
  // The first block warms up.
  const [through, inOwn, alone] = [times.s__echo, times.own, direct].map((list) => list.slice(CALLS));
  return [
    row('tool call through MCP over a direct call of the SDK', through, alone, BUDGETS.call),
    row('tool call through MCP over a tool of one’s own that calls the SDK', through, inOwn, null),
  ];
}

/** Returns an agent whose model is a function that returns the items of the next response. */
function agentWith({ mcpServers, grace = 0, tools = [] }, respond) {
  const home = mkdtempSync(join(folder, 'home-'));
  return createAgent({
    cwd: home,
    hermetic: true,
    env: { HOME: home, PATH: process.env.PATH },
    mcpServers,
    tools,
    fetch: async () => new Response(frames(respond()), { headers: { 'content-type': 'text/event-stream' } }),
    settings: {
      model: 'bench',
      model_provider: 'bench',
      sandbox_mode: 'danger-full-access',
      mcp_startup_grace_ms: grace,
      model_providers: { bench: { name: 'bench', base_url: 'http://127.0.0.1:9/v1', wire_api: 'responses' } },
    },
  });
}

function frames(item) {
  const events = [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { id: 'r', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function said(text) {
  return { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
}

function called(name, input, n) {
  return {
    type: 'function_call',
    id: `f${n}`,
    call_id: `call_${performance.now()}`,
    name,
    arguments: JSON.stringify(input),
  };
}

function serverTable(delayMs) {
  return { command: process.execPath, args: [program, String(delayMs)] };
}

function row(measure, times, floor, budget) {
  const [ms, floorMs] = [median(times), median(floor)];
  const ratio = ms / floorMs;
  const limit = budget === null ? '' : ` (budget ${budget})`;
  return {
    measure,
    ms,
    floorMs,
    ratio,
    budget,
    text: `${measure}: ${ratio.toFixed(2)}${limit}, ${ms.toFixed(2)} ms over ${floorMs.toFixed(2)} ms`,
  };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Returns the text of a server with one tool. Its argument is the time that it takes to start. */
function serverText() {
  return `
    import { createInterface } from 'node:readline';
    const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const METHODS = {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
      'tools/call': ({ arguments: { word } }) => ({ content: [{ type: 'text', text: word }] }),
    };
    await new Promise((done) => setTimeout(done, Number(process.argv[2])));
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const run = METHODS[method];
      write(run ? { id, result: run(params) } : { id, error: { code: -32601, message: 'Method not found' } });
    });`;
}
