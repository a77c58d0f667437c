import { createServer } from 'node:http';
import { DONE, taskCalls } from './task.mjs';

/**
 * Starts a server that has Chat Completions only and works through the task. Its kind decides how it speaks and what it
 * refuses. The progress of the task is read from the history alone, so that a request may be repeated.
 */
export async function startChatServer(kind) {
  const exchanges = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => serve({ kind, exchanges, request, response, text }));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** Every request on the path of the protocol, with the status that it got. */
    exchanges,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function serve({ kind, exchanges, request, response, text }) {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return sendJson(response, 404, { detail: 'Not Found' });
  }
  const body = JSON.parse(text);
  const refusal = refusalOf(kind, body, exchanges);
  exchanges.push({ body, status: refusal?.status ?? 200 });
  if (refusal !== undefined) return sendJson(response, refusal.status, refusal.body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of framesOf(kind, body)) response.write(`data: ${frame}\n\n`);
  response.end();
}

function refusalOf(kind, body, exchanges) {
  try {
    // Reports at once a task that cannot be done.
    if (kind.hasTask !== false) taskCalls(body);
  } catch (error) {
    return { status: 400, body: { error: { message: error.message } } };
  }
  return kind.refuse?.(body, exchanges);
}

function framesOf(kind, body) {
  const chunk = (delta, finish_reason = null) =>
    JSON.stringify({
      id: 'chatcmpl-check',
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: body.model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  const calls = callsDue(kind, body);
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const said = calls.length > 0 ? kind.speak(calls, body, chunk) : saidAtTheEnd(kind, body, chunk);
  return [...said, JSON.stringify({ id: 'chatcmpl-check', choices: [], usage }), '[DONE]'];
}

function callsDue({ hasTask, atOnce }, body) {
  if (hasTask === false) return [];
  const done = answered(body);
  const calls = taskCalls(body).map((call, n) => ({ ...call, id: `call_${n}_${call.name.slice(0, 8)}` }));
  return atOnce ? calls.slice(done === 0 ? 0 : calls.length) : calls.slice(done, done + 1);
}

/** Returns the number of calls of the task that have their outputs in the history. */
export function answered({ messages }) {
  return messages.filter(({ role }) => role === 'tool').length;
}

function saidAtTheEnd(kind, body, chunk) {
  const text = kind.answer?.(body) ?? DONE.text;
  return [...text.split(/(?<= )/).map((content) => chunk({ content })), chunk({}, 'stop')];
}

async function readBody(request) {
  let text = '';
  for await (const bytes of request.setEncoding('utf8')) text += bytes;
  return text;
}

function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
