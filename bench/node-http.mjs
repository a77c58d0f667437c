// A client over node:http behind the interface of src/model/http.ts, to compare with our own client. Ours replaced this
// one, which has the same care: one timer for a response, joined pieces, connections that are kept.
import { Agent, request } from 'node:http';
import { urlToHttpOptions } from 'node:url';

const MAX_WAITING_BYTES = 64 * 1024;

/** Creates a client. `parts` are exports of src/model/http.ts and src/model/idle-timer.ts. */
export function createNodeHttp(parts) {
  const agent = new Agent({ keepAlive: true });
  const client = { agent, addresses: new WeakMap(), ...parts };
  return {
    send: (url, options) => send(client, url, options),
    async close() {
      agent.destroy();
    },
  };
}

async function send(client, url, options) {
  const { abortedError, bodyPieces } = client;
  if (options.signal.aborted) throw abortedError();
  for (;;) {
    const pieces = bodyPieces(options.body);
    const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const outgoing = request({
      ...addressOf(client, url),
      method: options.method ?? 'POST',
      agent: client.agent,
      headers: headerList(url, options, size),
      timeout: options.idleTimeoutMs,
    });
    const answered = answerTo(client, outgoing, options);
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
    const response = await answered;
    if (response !== 'stale') return response;
  }
}

/** Returns the address of a URL, computed once. Node would compute it for each request. */
function addressOf({ addresses }, url) {
  let address = addresses.get(url);
  if (address === undefined) {
    const { protocol, hostname, port, path } = urlToHttpOptions(url);
    address = { protocol, hostname, port, path };
    addresses.set(url, address);
  }
  return address;
}

/** Returns names and values in turns, as they are sent. Node would read each field of an object several times. */
function headerList(url, { method, headers }, size) {
  const list = ['host', url.host];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (method !== 'GET') list.push('content-length', String(size));
  return list;
}

/** Resolves with `stale` when the server closed a kept connection at that moment. */
function answerTo(client, outgoing, { signal }) {
  const { abortedError, idleTimeoutError } = client;
  return new Promise((resolve, reject) => {
    const giveUp = (error) => {
      reject(error);
      outgoing.destroy();
    };
    // One listener for both halves of an exchange.
    let abort = () => giveUp(abortedError());
    const onAbort = () => abort();
    const onTimeout = () => giveUp(idleTimeoutError());
    signal.addEventListener('abort', onAbort);
    outgoing.once('timeout', onTimeout);
    outgoing.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      if (outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve('stale');
      else reject(error);
    });
    outgoing.once('response', (incoming) => {
      outgoing.off('timeout', onTimeout);
      const forget = () => signal.removeEventListener('abort', onAbort);
      const { response, onAborted } = toResponse(client, { outgoing, incoming, signal, forget });
      abort = onAborted;
      resolve(response);
    });
  });
}

function toResponse(client, { outgoing, incoming, signal, forget }) {
  const { abortedError, idleTimeoutError, brokenError, createIdleTimer } = client;
  let wake = () => {};
  let fault;
  const take = createTake(incoming, () => wake());
  incoming.on('end', () => wake());
  incoming.on('close', () => wake());
  incoming.on('error', (error) => {
    fault = error;
    wake();
  });
  const idle = createIdleTimer();
  const bytes = (idleTimeoutMs) =>
    new Promise((resolve, reject) => {
      wake = resolve;
      idle.start(idleTimeoutMs, () => reject(idleTimeoutError()));
    });
  const leave = () => {
    idle.stop();
    forget();
  };
  const response = {
    status: incoming.statusCode,
    headers: incoming.headers,
    async read(idleTimeoutMs) {
      for (;;) {
        if (signal.aborted) throw abortedError();
        const chunk = take();
        if (chunk !== null) return chunk;
        if (incoming.readableEnded) return null;
        if (incoming.destroyed) throw brokenError(fault);
        await bytes(idleTimeoutMs);
      }
    },
    release() {
      leave();
      incoming.resume();
    },
    close() {
      leave();
      outgoing.destroy();
    },
  };
  const onAborted = () => {
    outgoing.destroy();
    wake();
  };
  return { response, onAborted };
}

/** Returns a function that returns all bytes since its last call, or null without any. */
function createTake(incoming, onArrival) {
  let waiting = [];
  let size = 0;
  incoming.on('data', (piece) => {
    waiting.push(piece);
    size += piece.byteLength;
    if (size >= MAX_WAITING_BYTES) incoming.pause();
    onArrival();
  });
  return () => {
    if (waiting.length === 0) return null;
    const all = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting, size);
    if (size >= MAX_WAITING_BYTES) incoming.resume();
    waiting = [];
    size = 0;
    return all;
  };
}
