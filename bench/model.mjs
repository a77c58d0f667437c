// A scripted model server in a process of its own. The base URL selects the answers: /RUN/TURNS/v1 answers the first
// TURNS requests of that run with a call of exec_command and the next one with a message. It records when each request
// arrived and when its answer was sent, on the clock that all processes of a machine share, and reports the times on
// request.
import { createServer } from 'node:http';

/** Delays the last answer of a long run, so that the memory of the agent can be read before it ends. */
const LAST_ANSWER_DELAY_MS = 150;

const runs = new Map();

const server = createServer((request, response) => {
  const arrived = now();
  const [, id, turns, ...path] = request.url.split('/');
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    if (request.method !== 'POST' || path.join('/') !== 'v1/responses') {
      response.writeHead(404).end();
      return;
    }
    if (!runs.has(id)) runs.set(id, { requests: [], succeeded: 0 });
    answer(runs.get(id), Number(turns), { arrived, body: Buffer.concat(parts), response });
  });
});

function answer(run, turns, { arrived, body, response }) {
  const entry = { arrived, ended: 0, bytes: body.length };
  const step = run.requests.push(entry);
  const isLast = step > turns;
  if (isLast) run.succeeded = successes(JSON.parse(body.toString()));
  const send = () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(stream(step, isLast ? message(step) : call(step)));
    entry.ended = now();
  };
  if (isLast && turns > 0) setTimeout(send, LAST_ANSWER_DELAY_MS);
  else send();
}

/** Returns how many commands in the history of a request ran and exited with 0. */
function successes({ input }) {
  return input.filter((item) => item.type === 'function_call_output' && /exited with code 0\b/.test(item.output))
    .length;
}

function call(step) {
  const text = JSON.stringify({ cmd: `true # ${step}` });
  return { type: 'function_call', id: `fc_${step}`, call_id: `call_${step}`, name: 'exec_command', arguments: text };
}

function message(step) {
  const content = [{ type: 'output_text', text: 'All done.', annotations: [] }];
  return { type: 'message', id: `msg_${step}`, role: 'assistant', status: 'completed', content };
}

function stream(step, item) {
  const id = `resp_${step}`;
  const begun = item.type === 'message' ? { ...item, content: [] } : { ...item, arguments: '' };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  return [
    { type: 'response.created', response: { id, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: begun },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

process.on('message', (id) => {
  process.send(runs.get(id) ?? { requests: [], succeeded: 0 });
  runs.delete(id);
});
process.on('disconnect', () => process.exit());
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
