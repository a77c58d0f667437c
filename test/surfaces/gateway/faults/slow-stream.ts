import type { ServerExchange } from './model-server.ts';

/** Text of each stream so far, for the event at its end. */
const texts = new WeakMap<ServerExchange, string>();

const isChat = ({ path }: ServerExchange) => path.endsWith('/chat/completions');
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };

/** Begins an answer that says `begin` and stays open. */
export function startStream(exchange: ServerExchange): void {
  exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (isChat(exchange)) sendChunk(exchange, { role: 'assistant', content: '' });
  else {
    sendEvent(exchange, 'response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } });
    sendEvent(exchange, 'response.output_item.added', { output_index: 0, item: { ...item, content: [] } });
  }
  say(exchange, 'begin');
}

/** Sends a further word. */
export function sayMore(exchange: ServerExchange, word: string | number): void {
  say(exchange, ` ${word}`);
}

/** Ends the answer properly. */
export function endStream(exchange: ServerExchange): void {
  const { response } = exchange;
  if (isChat(exchange)) {
    sendChunk(exchange, {}, 'stop');
    response.end('data: [DONE]\n\n');
    return;
  }
  const text = texts.get(exchange) ?? '';
  const done = { ...item, content: [{ type: 'output_text', text, annotations: [] }] };
  sendEvent(exchange, 'response.output_item.done', { output_index: 0, item: done });
  sendEvent(exchange, 'response.completed', { response: { ...RESPONSE, status: 'completed', output: [done] } });
  response.end();
}

function say(exchange: ServerExchange, text: string): void {
  texts.set(exchange, (texts.get(exchange) ?? '') + text);
  if (isChat(exchange)) sendChunk(exchange, { content: text });
  else {
    const at = { item_id: item.id, output_index: 0, content_index: 0 };
    sendEvent(exchange, 'response.output_text.delta', { ...at, delta: text });
  }
}

function sendChunk({ response }: ServerExchange, delta: object, finish_reason: string | null = null): void {
  response.write(`data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
}

function sendEvent({ response }: ServerExchange, type: string, fields: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
}
