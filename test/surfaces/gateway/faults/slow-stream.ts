import type { ServerExchange } from './model-server.ts';
import { textFramesAt } from './text-frames.ts';

/** Text of each stream so far, for the event at its end. */
const texts = new WeakMap<ServerExchange, string>();

/** Begins an answer that says `begin` and stays open. */
export function startStream(exchange: ServerExchange): void {
  const { type, begin } = textFramesAt(exchange.path);
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
  exchange.response.end(textFramesAt(exchange.path).end(texts.get(exchange) ?? ''));
}

function say(exchange: ServerExchange, text: string): void {
  texts.set(exchange, (texts.get(exchange) ?? '') + text);
  exchange.response.write(textFramesAt(exchange.path).say(text));
}
