// The client of bench/gateway.mjs: sends requests to a URL and notes when the answers arrive.
import { Agent, request } from 'node:http';

const WIRES = {
  chat: {
    path: '/v1/chat/completions',
    end: 'data: [DONE]',
    body: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
  responses: {
    path: '/v1/responses',
    end: 'event: response.completed',
    body: (text) => ({
      store: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    }),
  },
  messages: {
    path: '/v1/messages',
    end: 'event: message_stop',
    body: (text) => ({ max_tokens: 1000, messages: [{ role: 'user', content: text }] }),
  },
  ollama: {
    path: '/api/chat',
    end: '"done":true',
    body: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
};

const REQUEST_MS = 30_000;

/** Creates a client with connections of its own. Its questions have `chars` characters. */
export function createClient(url, wire, chars = 2) {
  const agent = new Agent({ keepAlive: true });
  const { path, end, body } = WIRES[wire];
  const question = 'h'.repeat(chars);
  return {
    end,
    close: () => agent.destroy(),
    /** Calls `onData(bytes)` for each piece. Resolves when the answer has ended. */
    stream(model, onData) {
      const text = JSON.stringify({ model, stream: true, ...body(question) });
      const headers = { 'content-type': 'application/json', 'content-length': text.length };
      return new Promise((resolve, reject) => {
        const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
          answer.on('data', onData);
          answer.on('end', resolve);
          answer.on('error', reject);
        });
        outgoing.on('error', reject);
        outgoing.setTimeout(REQUEST_MS, () => outgoing.destroy(new Error(`${url} was silent for too long`)));
        outgoing.end(text);
      });
    },
  };
}

/** Returns the time to the first byte of an answer with one word, in milliseconds. */
export async function firstByteMs(client) {
  const began = now();
  let first = 0;
  await client.stream('burst-1', () => {
    first ||= now();
  });
  return first - began;
}

/** Returns the time that each of `count` words took to arrive, in milliseconds. */
export async function chunkMs(client, count) {
  const times = [];
  await client.stream(`paced-${count}`, (bytes) => {
    const arrived = now();
    // Some clients get the whole text again at the end.
    for (const [, written] of bytes.toString('latin1').matchAll(/@(\d+\.?\d*)/g)) {
      if (times.length < count) times.push(arrived - Number(written));
    }
  });
  // The first word comes with the head, which is measured separately.
  return times.slice(1);
}

/** Runs `count` streams, `atOnce` at a time. Returns how many ended in a second. */
export async function streamsPerSecond(client, { count, words, atOnce, way = 'burst' }) {
  const began = now();
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      let size = 0;
      await client.stream(`${way}-${words}`, (bytes) => {
        size += bytes.length;
      });
      if (size < words * 4) throw new Error(`An answer of ${words} words had ${size} bytes.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return count / ((now() - began) / 1000);
}

/** Opens `count` streams that begin and wait, `atOnce` at a time. Resolves when all have begun. */
export async function holdStreams(client, { count, atOnce }) {
  const ends = [];
  let ended = 0;
  const open = () =>
    new Promise((resolve, reject) => {
      let tail = '';
      const over = client.stream('held-1', (bytes) => {
        tail = (tail + bytes.toString('latin1')).slice(-4000);
        if (tail.includes('word')) resolve();
      });
      ends.push(
        over.then(() => {
          ended += Number(tail.includes(client.end));
        }, reject),
      );
    });
  const work = async () => {
    while (ends.length < count) await open();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    /** Resolves with the number of streams that ended properly. */
    async ended() {
      await Promise.all(ends);
      return ended;
    },
  };
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
