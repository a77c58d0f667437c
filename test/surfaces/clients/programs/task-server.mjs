import { createServer } from 'node:http';
import { WIRES } from './wires.mjs';

/**
 * Starts a server that speaks one wire and works through a task. Its kind decides how it speaks and what it refuses.
 * The progress of the task is read from the history alone, so that a request may be repeated.
 *
 * A task is a function from the offered tools to the calls, and the text after them. It returns no calls for a request
 * that does not belong to it. A call of a tool that is not offered is refused at once.
 */
export async function startTaskServer(kind, task) {
  const wire = WIRES[kind.wire ?? 'chat'];
  const exchanges = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => serve({ kind, wire, task, exchanges, request, response, text }));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}${wire.base}`,
    wire,
    /** Every request on the path of the protocol, with the status that it got. */
    exchanges,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function serve({ kind, wire, task, exchanges, request, response, text }) {
  if (request.method !== 'POST' || request.url.split('?')[0] !== `${wire.base}${wire.path}`) {
    return sendJson(response, 404, { detail: 'Not Found' });
  }
  const body = JSON.parse(text);
  const turn = turnOf({ kind, wire, task, exchanges, body });
  exchanges.push({ body, status: turn.refusal?.status ?? 200 });
  if (turn.refusal) return sendJson(response, turn.refusal.status, turn.refusal.body);
  response.writeHead(200, { 'content-type': wire.contentType });
  const stream = wire.stream(turn.said, body);
  for (const bytes of kind.cut?.(stream, exchanges) ?? stream) response.write(bytes);
  response.end();
}

/** Returns the answer to a request: a refusal, or the frames for its calls or its last text. */
function turnOf({ kind, wire, task, exchanges, body }) {
  const refusal = kind.refuse?.(body, exchanges);
  if (refusal) return { refusal };
  try {
    const offers = wire.offers(body);
    const done = wire.outputs(body).length;
    const { calls, text } = kind.answer ? { calls: [], text: kind.answer(body) } : task(offers);
    const due = dueCalls(kind, calls, done);
    for (const { name } of due) requireTool(name, offers);
    return { said: due.length > 0 ? (kind.speak ?? wire.speak)(due, done) : wire.tell(text) };
  } catch (error) {
    return { refusal: { status: 400, body: { error: { message: error.message } } } };
  }
}

function dueCalls({ atOnce }, calls, done) {
  const named = calls.map((call, n) => ({ ...call, id: `call_${n}_${call.name.slice(0, 8)}` }));
  return atOnce ? named.slice(done === 0 ? 0 : named.length) : named.slice(done, done + 1);
}

function requireTool(name, offers) {
  if (offers.some((offer) => offer.name === name)) return;
  throw new Error(`there is no tool ${name} among ${offers.map((offer) => offer.name).join(', ')}`);
}

async function readBody(request) {
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += bytes;
  return text;
}

function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
