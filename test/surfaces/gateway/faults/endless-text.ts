import { once } from 'node:events';
import { type ModelServer, type ServerExchange, startModelServer } from './model-server.ts';
import { textFramesAt } from './text-frames.ts';

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
    exchange.response.writeHead(200, { 'content-type': textFramesAt(exchange.path).type });
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
  if (start !== '') response.write(start);
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
  const { begin, say, beginThinking, think } = textFramesAt(path);
  const text = `COUNT${'. A few words more'.repeat(150)}`;
  return kind === 'text' ? { start: begin, piece: say(text) } : { start: beginThinking, piece: think(text) };
}
