import type { ServerExchange } from './model-server.ts';

/** Text of each stream so far, for the event at its end. */
const texts = new WeakMap<ServerExchange, string>();

/** The frames of an answer on one wire. */
interface SlowFrames {
  /** Content type. */
  readonly type: string;
  readonly begin: string;
  readonly say: (text: string) => string;
  /** Returns the end of an answer with this text. */
  readonly end: (text: string) => string;
}

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const line = (content: string, more: object = { done: false }) =>
  `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content }, ...more })}\n`;

const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };

/** The wires by the ends of their paths. */
const FRAMES: readonly (readonly [path: string, frames: SlowFrames])[] = [
  [
    '/chat/completions',
    {
      type: 'text/event-stream',
      begin: chunk({ role: 'assistant', content: '' }),
      say: (content) => chunk({ content }),
      end: () => `${chunk({}, 'stop')}data: [DONE]\n\n`,
    },
  ],
  [
    '/responses',
    {
      type: 'text/event-stream',
      begin:
        event('response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } }) +
        event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
      say: (delta) =>
        event('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta }),
      end(text) {
        const done = { ...item, content: [{ type: 'output_text', text, annotations: [] }] };
        return (
          event('response.output_item.done', { output_index: 0, item: done }) +
          event('response.completed', { response: { ...RESPONSE, status: 'completed', output: [done] } })
        );
      },
    },
  ],
  [
    '/messages',
    {
      type: 'text/event-stream',
      begin:
        event('message_start', { message: MESSAGE }) +
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      say: (text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      end: () =>
        event('content_block_stop', { index: 0 }) +
        event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }) +
        event('message_stop', {}),
    },
  ],
  [
    '/chat',
    {
      type: 'application/x-ndjson',
      begin: '',
      say: (text) => line(text),
      end: () => line('', { done: true, done_reason: 'stop' }),
    },
  ],
];

function framesFor({ path }: ServerExchange): SlowFrames {
  const found = FRAMES.find(([end]) => path.endsWith(end));
  if (found === undefined) throw new Error(`No wire has the path ${path}.`);
  return found[1];
}

/** Begins an answer that says `begin` and stays open. */
export function startStream(exchange: ServerExchange): void {
  const { type, begin } = framesFor(exchange);
  exchange.response.writeHead(200, { 'content-type': type });
  if (begin !== '') exchange.response.write(begin);
  say(exchange, 'begin');
}

/** Sends a further word. */
export function sayMore(exchange: ServerExchange, word: string | number): void {
  say(exchange, ` ${word}`);
}

/** Ends the answer properly. */
export function endStream(exchange: ServerExchange): void {
  exchange.response.end(framesFor(exchange).end(texts.get(exchange) ?? ''));
}

function say(exchange: ServerExchange, text: string): void {
  texts.set(exchange, (texts.get(exchange) ?? '') + text);
  exchange.response.write(framesFor(exchange).say(text));
}
