import { once } from 'node:events';
import { framesOf } from '../../../corpus/quoted-calls/frames.ts';
import { type ModelServer, type ServerExchange, startModelServer } from './model-server.ts';

const MiB = 1024 * 1024;
/** Far more than any answer may have, so that a test that is not stopped ends all the same. */
const MOST = 400 * MiB;

export interface EndlessServer extends ModelServer {
  /** Numbers of bytes that the answers had when their readers left. */
  readonly sent: readonly number[];
}

/** Starts a server whose answers go on in small pieces until their reader leaves. */
export async function startEndlessServer(kind: 'text' | 'reasoning'): Promise<EndlessServer> {
  const sent: number[] = [];
  const server = await startModelServer((exchange) => {
    sent[exchange.n] = 0;
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
    void flood(exchange, framesFor(exchange.path, kind), (bytes) => {
      sent[exchange.n] = (sent[exchange.n] ?? 0) + bytes;
    });
  });
  return { ...server, sent };
}

async function flood(
  { response, over }: ServerExchange,
  { start, piece }: EndlessFrames,
  count: (bytes: number) => void,
) {
  let isOver = false;
  const ended = over.then(() => {
    isOver = true;
  });
  response.write(start);
  for (let sent = 0, n = 0; !isOver && sent < MOST; n++) {
    const block = Array.from({ length: 64 }, (_, m) => piece.replace('COUNT', `${n} ${m}`)).join('');
    sent += block.length;
    count(block.length);
    if (!response.write(block)) await Promise.race([once(response, 'drain'), ended]);
    // Lets the end of the connection be noticed.
    await new Promise(setImmediate);
  }
  response.end();
}

interface EndlessFrames {
  readonly start: string;
  readonly piece: string;
}

function framesFor(path: string, kind: 'text' | 'reasoning'): EndlessFrames {
  const wire = path.endsWith('/responses') ? 'responses' : 'chat';
  const frames = framesOf(wire, [`COUNT${'. A few words more'.repeat(30)}`]).map(({ event, data }) =>
    [...(event === undefined ? [] : [`event: ${event}`]), `data: ${data}`, '', ''].join('\n'),
  );
  const at = frames.findIndex((frame) => frame.includes('A few words'));
  const start = frames.slice(0, at).join('');
  const piece = frames[at] ?? '';
  if (kind === 'text') return { start, piece };
  if (wire === 'chat') return { start, piece: piece.replace('"content"', '"reasoning_content"') };
  const item = { type: 'reasoning', id: 'msg_1', summary: [], content: [] };
  const added = { type: 'response.output_item.added', output_index: 0, item };
  return {
    start: `${frames[0]}event: ${added.type}\ndata: ${JSON.stringify(added)}\n\n`,
    piece: piece.replaceAll('response.output_text.delta', 'response.reasoning_text.delta'),
  };
}
