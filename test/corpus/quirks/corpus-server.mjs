import { createServer } from 'node:http';
import { finalAnswer, plainCalls } from './plain-answers.mjs';
import { bodyOf, contentTypeOf, readCorpus } from './read-corpus.mjs';
import { spokenIn } from './read-history.mjs';

const WIRES = new Map([
  ['chat/completions', 'chat'],
  ['responses', 'responses'],
]);

/**
 * Serves the corpus on the loopback address. The path (`/A1/text-then-call/v1`) or the name of the model
 * (`A1/text-then-call`) selects the case. The first request of a client gets the response of the case, later ones a
 * plain final answer. `onRequest` gets each request: `{ key, stage, body }`.
 */
export async function startCorpusServer({ port = 0, onRequest = () => {} } = {}) {
  const cases = servedCases();
  const server = createServer((request, response) => {
    void readJson(request).then((body) => serve({ url: request.url, body, response, cases, onRequest }));
  });
  server.keepAliveTimeout = 0;
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the cases of these wires that have a response, by their key. The server speaks OpenAI's wires only. */
export function servedCases(wires = [...WIRES.values()]) {
  const withBody = ({ wire, frames, body, body_base64 }) =>
    wires.includes(wire) && (frames ?? body ?? body_base64) !== undefined;
  return new Map(
    readCorpus().flatMap((quirk) =>
      quirk.cases.filter(withBody).map((kase) => [`${quirk.id}/${kase.name}`, { quirk, kase }]),
    ),
  );
}

function serve({ url, body, response, cases, onRequest }) {
  const { key, path } = addressed(url, body, cases);
  if (path === 'models') return sendJson(response, 200, { object: 'list', data: modelList(cases) });
  const found = cases.get(key);
  if (found === undefined) return sendError(response, 404, `There is no case ${key}. Run serve.mjs --list.`);
  const wire = WIRES.get(path);
  if (wire !== found.kase.wire) return sendError(response, 404, `The case ${key} is of the wire ${found.kase.wire}.`);
  if (body === undefined) return sendError(response, 400, 'The body is no JSON object.');
  const stage = stageOf(found.kase, body);
  onRequest({ key, stage, body });
  return send(response, STAGES[stage](found.kase));
}

/** Returns the case, from the path or else from the model, and the rest of the path after `/v1/`. */
function addressed(url, body, cases) {
  const [, inPath = '', path = ''] = /^\/?(.*?)\/?v1\/([^?]*)/.exec(url) ?? [];
  const key = decodeURIComponent(inPath);
  return { key: key === '' || !cases.has(key) ? String(body?.model ?? key) : key, path };
}

/** Returns the stage of a client, read from its history alone, so that it may start over at any time. */
function stageOf({ wire, request }, body) {
  const earlier = request?.call_ids?.length ?? 0;
  const spoken = spokenIn(wire, body);
  if (spoken < earlier) return 'earlier';
  return spoken === earlier ? 'case' : 'after';
}

const STAGES = {
  /** Calls with the ids that the case needs in the history. */
  earlier: ({ wire, request }) => {
    const name = request.tools?.[0]?.name ?? 'exec_command';
    const text = name === 'exec_command' ? '{"cmd":"true"}' : '{}';
    return { body: plainCalls(wire, request.call_ids, { name, text }) };
  },
  case: (kase) => ({ status: kase.status, type: contentTypeOf(kase), body: bodyOf(kase) }),
  // A server whose answers begin inside reasoning ends it first.
  after: ({ wire, compat }) => ({
    body: finalAnswer(wire, `${compat?.thinking === 'open' ? '</think>' : ''}All done.`),
  }),
};

function send(response, { status = 200, type = 'text/event-stream', body }) {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

function sendJson(response, status, value) {
  send(response, { status, type: 'application/json', body: JSON.stringify(value) });
}

function sendError(response, status, message) {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code: null } });
}

function modelList(cases) {
  return [...cases.keys()].map((id) => ({ id, object: 'model', created: 0, owned_by: 'corpus' }));
}

async function readJson(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    const value = JSON.parse(Buffer.concat(chunks).toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
